// Bars: what lies on one lane of the chart, as columns in order of time. A lane does one thing at a time, so both starts
// and ends only grow, and what can be seen is found by bisection. Pure.

export interface Bar {
  start: number;
  end: number;
  /** Index of its model; -1 where it has none. */
  model: number;
  /** Loading the model rather than working. */
  isSwitch: boolean;
  /** What the owner of the chart knows it by. */
  ref: number;
}

/** The end of the last bar of a lane may be Infinity: it is going on, and drawn until now. */
export interface Bars {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Twice the model + 1, and one more for a switch: 0 and 1 have no model. */
  readonly paint: Uint16Array;
  readonly ref: Int32Array;
}

export function paintCode(model: number, isSwitch: boolean): number {
  return 2 * (model + 1) + (isSwitch ? 1 : 0);
}
export const modelOf = (paint: number): number => (paint >> 1) - 1;
export const isSwitchOf = (paint: number): boolean => (paint & 1) === 1;

/** Where two overlap, the earlier ends when the later begins. */
export function barsOf(list: Bar[]): Bars {
  list.sort((a, b) => a.start - b.start || a.end - b.end || a.ref - b.ref);
  const count = list.length;
  const bars = {
    count,
    start: new Float64Array(count),
    end: new Float64Array(count),
    paint: new Uint16Array(count),
    ref: new Int32Array(count),
  };
  for (let i = 0; i < count; ++i) {
    const bar = list[i]!;
    const next = list[i + 1]?.start ?? Infinity;
    bars.start[i] = bar.start;
    bars.end[i] = Math.max(bar.start, Math.min(bar.end, next));
    bars.paint[i] = paintCode(bar.model, bar.isSwitch);
    bars.ref[i] = bar.ref;
  }
  return bars;
}

/** When a bar ends; one that is going on: now. */
export function endOf(bars: Bars, i: number, now: number | null): number {
  const end = bars.end[i]!;
  return end === Infinity && now !== null ? now : end;
}

/** How many of the first `count` satisfy `isBefore`, which must hold for a beginning of them. */
export function countWhile(count: number, isBefore: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first bar that is not over at `t`. */
export function firstFrom(bars: Bars, t: number): number {
  return countWhile(bars.count, (i) => bars.end[i]! < t);
}

/** What had a lane before `t`, by its ref; null: nothing. `own` is not counted. */
export function refBefore(bars: Bars, t: number, own: number): number | null {
  let i = countWhile(bars.count, (k) => bars.start[k]! < t) - 1;
  while (i >= 0 && bars.ref[i] === own) --i;
  return i < 0 ? null : bars.ref[i]!;
}

/** The bar at `t`, or the nearest within `slack`; -1: none. */
export function barAt(bars: Bars, t: number, slack: number): number {
  const i = firstFrom(bars, t);
  if (i < bars.count && bars.start[i]! <= t) return i;
  const after = i < bars.count ? bars.start[i]! - t : Infinity;
  const before = i > 0 ? t - bars.end[i - 1]! : Infinity;
  if (Math.min(after, before) > slack) return -1;
  return after < before ? i : i - 1;
}
