// What a bar of the timeline or of a run's chart says of itself. Pure.
import { type Bars, refBefore } from '../gantt/bars';
import type { Tip } from '../gantt/scene';
import { gpuNames } from './events';
import { duration, unix } from './format';
import type { Planned, Spell } from './lanes';
import { howHeld, whatFor } from './reasons';
import type { Task } from './types';

export type At = (t: number) => string;

/** Of what happened and what was planned, lane by lane, who had a GPU before a bar of it. */
export interface ByGpu {
  readonly happened: ReadonlyMap<number, Bars>;
  readonly planned: ReadonlyMap<number, Bars>;
}
export function lanesByGpu(lanes: readonly { gpu: number; isPlan: boolean; bars: Bars }[]): ByGpu {
  const of = (isPlan: boolean) => new Map(lanes.filter((lane) => lane.isPlan === isPlan).map(({ gpu, bars }) => [gpu, bars]));
  return { happened: of(false), planned: of(true) };
}
const before = (lanes: ReadonlyMap<number, Bars>, gpus: readonly number[], t: number, ref: number) =>
  gpus.flatMap((gpu) => (lanes.has(gpu) ? (refBefore(lanes.get(gpu)!, t, ref) ?? []) : []));

export function span(from: number, to: number | null, now: number, at: At): string {
  return `${at(from)} – ${to === null ? 'now' : at(to)} (${duration((to ?? now) - from)})`;
}

/** `needs`: of what it needs, what is known to have ended. */
export function whyHappened(spells: readonly Spell[], lanes: ByGpu, ref: number, told: { submitted: number; needs: { who: string; end: number }[] } | null, at: At): string[] {
  const spell = spells[ref]!;
  const others = before(lanes.happened, spell.gpus, spell.start, ref).map((other) => spells[other]!);
  const last = others.reduce<Spell | null>((a, b) => (a && a.start >= b.start ? a : b), null);
  // How long loading took is told when the attempt has ended.
  const held = spell.end === null && spell.model !== null ? [] : [howHeld(spell.model, spell.load, last?.model ?? null)];
  if (!told) return held;
  const whoHad = others.map((other) => ({ who: other.task ? `#${other.task}` : other.name, end: other.end ?? spell.start }));
  return [...held, whatFor({ begin: spell.start, start: spell.start + spell.load, ...told, before: whoHad }, at)];
}

/** From the record of a task: since when this attempt could have run, and what went wrong with the one before it. */
export function toldBy(task: Task, attempt: number, endOf: (task: number) => number | null): { submitted: number; needs: { who: string; end: number }[]; again: string[] } {
  const earlier = task.attempts[attempt - 2];
  const needs = [...(task.after ?? []), ...(task.after_any ?? [])].flatMap((id) => {
    const end = endOf(id);
    return end === null ? [] : [{ who: `#${id}`, end }];
  });
  const why = earlier?.error ?? earlier?.note ?? (earlier?.signal ? `signal ${earlier.signal}` : earlier?.exit_code ? `exit code ${earlier.exit_code}` : '');
  return {
    submitted: unix(earlier?.ended ?? task.submitted) ?? 0, needs: earlier ? [] : needs,
    again: earlier ? [`attempt ${attempt}, for the one before it ended${why ? `: ${why}` : ''}`] : [],
  };
}

export function plannedTip(planned: readonly Planned[], lanes: ByGpu, index: number, isSwitch: boolean, zero: number, needs: readonly Planned[], at: At): Tip {
  const step = planned[index]!, gpus = Array.from({ length: step.gpus }, (_, i) => step.gpu + i), load = step.start - step.loadStart;
  const others = before(lanes.planned, gpus, step.loadStart, -1 - index).map((other) => planned[-1 - other]!);
  const whoHad = others.map((other) => ({ who: `${other.request} / ${other.node}`, end: other.end }));
  const whoNeeded = needs.map((need) => ({ who: `${need.node} on ${gpuNames(Array.from({ length: need.gpus }, (_, i) => need.gpu + i))}`, end: need.end }));
  return {
    title: isSwitch ? `Planned: load ${step.model}` : `Planned: ${step.request} / ${step.node}`,
    lines: [`${step.runName ? `${step.runName} · ` : ''}model ${step.model}, ${gpuNames(gpus)}`, span(step.start, step.end, step.end, at)],
    why: [howHeld(step.model, load, others[0]?.model ?? null), whatFor({ begin: step.loadStart, start: step.start, submitted: zero, needs: whoNeeded, before: whoHad }, at)],
  };
}
