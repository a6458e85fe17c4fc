// What happened in a run, as bars: steps that ended, steps under way, loads of their own. Pure; seconds since its start.
import type { Spell } from './lanes';
import type { Job, RunTimeline } from './types';

export interface RunSpell extends Spell {
  /** Null: a load ahead of its step. */
  readonly job: Job | null;
}

const gpusOf = ({ gpu, gpus }: { gpu: number; gpus: number }) => Array.from({ length: gpus }, (_, i) => gpu + i);

export function spellsOfRun({ jobs, loads }: Pick<RunTimeline, 'jobs' | 'loads'>): RunSpell[] {
  const spells: RunSpell[] = [];
  for (const job of jobs) {
    const { actual, running, model } = job;
    const base = { job, task: 0, attempt: 1, name: `${job.request} / ${job.node}`, model };
    if (running) spells.push({ ...base, state: 'running', gpus: gpusOf(running), start: running.start_s, end: null, load: 0 });
    else if (actual) spells.push({ ...base, state: actual.state ?? '', gpus: gpusOf(actual), start: actual.start_s, end: actual.end_s, load: actual.load_s });
  }
  for (const { model, gpu, start_s, end_s, load_s } of loads)
    if (load_s > 0) spells.push({ job: null, task: 0, attempt: 1, name: `load ${model}`, model, state: 'loaded ahead', gpus: [gpu], start: start_s, end: end_s, load: end_s - start_s });
  return spells;
}
