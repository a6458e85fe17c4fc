// What each GPU did under an order, as a scene for the chart. Pure.
import { type Bar, barsOf } from '../gantt/bars';
import type { Scene, Tip } from '../gantt/scene';
import { duration, elapsed } from '../lib/format';
import type { Jobs, Simulated, Tried } from './answer';

type Told = Pick<Simulated, 'jobs' | 'cluster'> & { source: { live: boolean } };

/** Nothing where there is nothing to draw: no lanes, for there were too many GPUs. */
export function sceneOf(told: Told, one: Tried, paints: Scene['paints']): Scene | null {
  const { spells } = one, { lanes, jobs } = { lanes: told.cluster.lanes, jobs: told.jobs };
  if (lanes.length === 0 || spells.job.length === 0) return null;
  const bars: Bar[][] = lanes.map(() => []);
  let to = 0;
  spells.job.forEach((job, ref) => {
    const start = spells.start_s[ref]!, end = spells.end_s[ref]!;
    to = Math.max(to, end);
    for (let i = 0; i < spells.lanes[ref]!; ++i) bars[spells.lane[ref]! + i]?.push({ start, end, model: jobs.group[job]!, isSwitch: false, ref });
  });
  const name = (job: number) => `${told.source.live ? '#' : ''}${jobs.id[job]}`;
  return {
    lanes: bars.map((own, lane) => ({ name: lanes[lane]!, bars: barsOf(own), isPlan: false })),
    all: { from: 0, to: to || 1 }, paints, zero: 0, timeText: elapsed, now: null,
    word: (ref) => name(spells.job[ref]!),
    tip: (ref) => tip(jobs, one, ref, name(spells.job[ref]!)),
  };
}

function tip(jobs: Jobs, { spells }: Tried, ref: number, title: string): Tip {
  const job = spells.job[ref]!, start = spells.start_s[ref]!, end = spells.end_s[ref]!, submitted = jobs.submit_s[job]!;
  const own = spells.job.flatMap((other, i) => (other === job && spells.start_s[i] !== undefined ? [i] : []));
  const first = Math.min(...own.map((i) => spells.start_s[i]!));
  const group = jobs.groups[jobs.group[job]!];
  return {
    title,
    lines: [
      ...(group ? [`${jobs.grouped_by} ${group}`] : []),
      ...(jobs.user[job] && jobs.grouped_by !== 'user' ? [`user ${jobs.user[job]}`] : []),
      `${jobs.gpus[job]} GPU${jobs.gpus[job] === 1 ? '' : 's'}, ${duration(start)} – ${duration(end)} (${duration(end - start)})`,
    ],
    why: [
      start > first ? `goes on after it was put aside, ${duration(start - first)} after its first start`
        : start <= 0 && submitted <= 0 ? 'starts at once'
        : submitted < 0 ? `waits ${duration(start)} from now on` : `submitted at ${duration(submitted)}, waited ${duration(start - submitted)}`,
    ],
  };
}
