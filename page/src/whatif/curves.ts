// Curves for plots, all orders on one grid of times. Pure.
import { countWhile } from '../gantt/bars';
import type { Tried } from './answer';

export interface Curves {
  readonly x: number[];
  /** By order; null: it was through by then. */
  readonly lines: (number | null)[][];
}

const points = 200;

/** The part of the jobs that are done within `at` seconds of their submission. */
export function shareDone(quantiles: readonly number[], at: number): number {
  const last = quantiles.length - 1;
  const below = countWhile(quantiles.length, (i) => quantiles[i]! <= at);
  if (below === 0 || last < 1) return below > last ? 1 : 0;
  if (below > last) return 1;
  const from = quantiles[below - 1]!;
  return (below - 1 + (at - from) / (quantiles[below]! - from)) / last;
}

/** On a logarithmic axis, five powers of ten at most: what is shorter is not told apart. */
export function completionCurves(orders: readonly Tried[]): Curves {
  const most = Math.max(1e-3, ...orders.map((one) => one.completion_s.at(-1) ?? 0));
  const least = Math.max(most / 1e5, Math.min(most / 10, ...orders.map((one) => one.completion_s.find((s) => s > 0) ?? most)));
  const x = Array.from({ length: points + 1 }, (_, i) => least * (most / least) ** (i / points));
  return { x, lines: orders.map((one) => x.map((at) => shareDone(one.completion_s, at))) };
}

export function endOfCourse({ course, makespan_s }: Tried): number {
  const walked = course.step_s * course.busy.length;
  return makespan_s > 0 ? Math.min(walked, makespan_s) : walked;
}

export function courseCurves(orders: readonly Tried[], what: 'busy' | 'waiting'): Curves {
  const all = Math.max(1e-3, ...orders.map(endOfCourse));
  const x = Array.from({ length: points + 1 }, (_, i) => (all * i) / points);
  return {
    x,
    lines: orders.map((one) => {
      const end = endOfCourse(one);
      return x.map((at) => (at > end ? null : (one.course[what][Math.floor(at / one.course.step_s)] ?? 0)));
    }),
  };
}

/** Marks of a logarithmic axis of time that people read easily. */
export function timeMarks(from: number, to: number): number[] {
  const nice = [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400, 3650 * 86400];
  return nice.filter((at) => at >= from * 0.999 && at <= to * 1.001);
}
