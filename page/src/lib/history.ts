// Series of the last minutes, as the page itself has seen them: columns for a plot, thinned at the front. Pure.

export class History {
  readonly times: number[] = [];
  readonly columns: number[][];

  constructor(columns: number, private readonly most = 900) {
    this.columns = Array.from({ length: columns }, () => []);
  }

  /** Times must grow; one that does not is dropped. */
  add(time: number, values: readonly number[]): void {
    const last = this.times[this.times.length - 1];
    if (last !== undefined && time <= last) return;
    this.times.push(time);
    this.columns.forEach((column, i) => column.push(values[i] ?? 0));
    if (this.times.length <= this.most) return;
    this.times.shift();
    for (const column of this.columns) column.shift();
  }
}

/** What a counter grew by a second, over the last `window` seconds of its history. */
export function rateOf(times: readonly number[], totals: readonly number[], window: number): number | null {
  const n = times.length;
  if (n < 2) return null;
  let first = n - 1;
  while (first > 0 && times[n - 1]! - times[first - 1]! <= window) --first;
  const seconds = times[n - 1]! - times[first]!;
  return seconds > 0 ? Math.max(0, (totals[n - 1]! - totals[first]!) / seconds) : null;
}
