// Why a bar stands where it does: what it waited for, and how its model came to be there. From what the service tells of
// tasks, needs and GPUs, or a plan of its steps. Pure; times in seconds on any one clock, `at` writes them.
import { duration } from './format';

export interface Begun {
  /** When it took its GPUs; its work starts later where its model is loaded first. */
  readonly begin: number;
  readonly start: number;
  /** When it was handed in, or its run began. */
  readonly submitted: number;
  readonly needs: readonly { readonly who: string; readonly end: number }[];
  /** Who had its GPUs before it. */
  readonly before: readonly { readonly who: string; readonly end: number }[];
}

/** As good as at the same time, for services that take a moment. */
const moment = 0.1;
const shortly = 0.25;

const latestOf = <T extends { readonly end: number }>(all: readonly T[]): T | null => all.reduce<T | null>((a, b) => (a === null || b.end > a.end ? b : a), null);

export function whatFor(it: Begun, at: (t: number) => string): string {
  const need = latestOf(it.needs), before = latestOf(it.before);
  const ready = Math.max(it.submitted, need?.end ?? -Infinity), waited = it.begin - ready;
  const forNeed = need && need.end > it.submitted + moment ? `waited for ${need.who}, which it needs, until ${at(need.end)}` : '';
  if (waited <= moment) {
    if (!forNeed) return 'starts at once';
    return need!.end > it.begin + moment ? `its model was loaded ahead; ${forNeed}` : forNeed;
  }
  const forGpu = before && before.end > ready && it.begin - before.end <= shortly ? `for its GPU, which ${before.who} had until ${at(before.end)}` : '';
  if (forNeed) return `${forNeed}, then ${duration(waited)} ${forGpu || 'in line'}`;
  return forGpu ? `waited ${duration(waited)} ${forGpu}` : `waited ${duration(waited)} in line since ${at(it.submitted)}`;
}

export function howHeld(model: string | null, load: number, before: string | null): string {
  if (model === null) return 'a command: no model to load';
  if (load <= 0) return 'its model was held here: no switch';
  const took = `its model was loaded first, ${duration(load)}`;
  if (before === null) return `${took}, onto a GPU that had run none`;
  return before === model ? `${took}, again` : `${took}, after ${before}`;
}
