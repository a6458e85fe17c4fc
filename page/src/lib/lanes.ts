// From tasks and plans to lanes: for each GPU what was planned above what happened. An attempt begins with loading its
// model, where it had to; in a plan the load stands before the start. Pure.
import { type Bar, type Bars, barsOf } from '../gantt/bars';
import type { RunTimeline } from './types';

/** One attempt of a task; times in unix seconds, `end` null while it runs. */
export interface Spell {
  readonly task: number;
  readonly attempt: number;
  readonly name: string;
  readonly model: string | null;
  readonly state: string;
  readonly gpus: readonly number[];
  readonly start: number;
  readonly end: number | null;
  readonly load: number;
}

export interface Planned {
  readonly run: number;
  readonly runName: string;
  readonly request: string;
  readonly node: string;
  readonly model: string;
  readonly gpu: number;
  readonly gpus: number;
  readonly loadStart: number;
  readonly start: number;
  readonly end: number;
  /** When its run began. */
  readonly zero: number;
}

/** Of nothing, `from` is Infinity and `to` −Infinity. */
export interface Lanes {
  readonly lanes: { name: string; gpu: number; isPlan: boolean; bars: Bars }[];
  readonly from: number;
  readonly to: number;
}

/** Steps of a run's plan, on the clock on the wall. */
export function plannedOf(run: number, runName: string, zero: number, { jobs }: Pick<RunTimeline, 'jobs'>): Planned[] {
  const planned: Planned[] = [];
  for (const { plan, request, node, model } of jobs)
    if (plan)
      planned.push({ run, runName, request, node, model, gpu: plan.gpu, gpus: plan.gpus, loadStart: zero + plan.start_s - plan.load_s, start: zero + plan.start_s, end: zero + plan.end_s, zero });
  return planned;
}

/** `ref` of a bar is the index of its spell, or −1 − the index of what was planned. What ran on a GPU that is not shown is left out. */
export function lanesOf(gpus: readonly number[], spells: readonly Spell[], planned: readonly Planned[], indexOf: (model: string | null) => number): Lanes {
  const actual = new Map<number, Bar[]>(gpus.map((gpu) => [gpu, []]));
  const plans = new Map<number, Bar[]>(gpus.map((gpu) => [gpu, []]));
  let from = Infinity, to = -Infinity;
  spells.forEach((spell, ref) => {
    const end = spell.end ?? Infinity, model = indexOf(spell.model), loaded = Math.min(end, spell.start + spell.load);
    from = Math.min(from, spell.start);
    to = Math.max(to, spell.end ?? spell.start);
    for (const gpu of spell.gpus) {
      if (spell.load > 0) actual.get(gpu)?.push({ start: spell.start, end: loaded, model, isSwitch: true, ref });
      if (end > loaded) actual.get(gpu)?.push({ start: loaded, end, model, isSwitch: false, ref });
    }
  });
  planned.forEach((step, i) => {
    const model = indexOf(step.model), ref = -1 - i;
    from = Math.min(from, step.loadStart);
    to = Math.max(to, step.end);
    for (let gpu = step.gpu; gpu < step.gpu + step.gpus; ++gpu) {
      if (step.loadStart < step.start) plans.get(gpu)?.push({ start: step.loadStart, end: step.start, model, isSwitch: true, ref });
      plans.get(gpu)?.push({ start: step.start, end: step.end, model, isSwitch: false, ref });
    }
  });
  const lanes: Lanes['lanes'] = [];
  for (const gpu of gpus) {
    if (planned.length > 0) lanes.push({ name: 'plan', gpu, isPlan: true, bars: barsOf(plans.get(gpu)!) });
    lanes.push({ name: `gpu${gpu}`, gpu, isPlan: false, bars: barsOf(actual.get(gpu)!) });
  }
  return { lanes, from, to };
}
