// Bars that share a pixel become one: a lane of a hundred thousand is at most as many rectangles as it has pixels.
//
// Narrow bars (under four device pixels) join the one before if it has their colour and touches them, and give way if it
// has covered them. Wide ones keep their edges, with a pixel of air after work, so that neighbours of one model can be
// told apart. Cost: one pass over the bars in view, no allocation. Pure.
import { type Bars, endOf, firstFrom } from './bars';

export interface Pixels {
  /** Device pixels for a second, and where second 0 would be. */
  readonly scale: number;
  readonly zero: number;
  readonly edge: number;
  readonly right: number;
  readonly air: number;
  /** Where a bar that is going on ends, in seconds. */
  readonly now: number | null;
}

export type Draw = (paint: number, x: number, width: number) => void;

const narrow = 4;

export function eachRun(bars: Bars, from: number, to: number, px: Pixels, draw: Draw): void {
  let paint = -1;
  let a = 0;
  let b = 0;
  const { start } = bars;
  for (let i = firstFrom(bars, from); i < bars.count && start[i]! <= to; ++i) {
    const p = Math.max(px.edge, Math.round(px.zero + start[i]! * px.scale));
    const q = Math.min(px.right, Math.max(Math.round(px.zero + endOf(bars, i, px.now) * px.scale), p + 1));
    const what = bars.paint[i]!;
    if (q - p < narrow && paint >= 0) {
      if (what === paint && p <= b) {
        if (q > b) b = q;
        continue;
      }
      if (q <= b) continue;
    }
    if (paint >= 0 && b > a) draw(paint, a, b - a);
    a = paint >= 0 ? Math.max(p, Math.min(b, q - 1)) : p;
    b = q - p >= narrow && (what & 1) === 0 ? q - px.air : q;
    paint = what;
  }
  if (paint >= 0 && b > a) draw(paint, a, b - a);
}
