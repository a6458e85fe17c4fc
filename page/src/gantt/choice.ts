// Choosing a bar without a pointer: the next or the one before on its lane, or the one nearest in time on another. Pure.
import { barAt, endOf, firstFrom } from './bars';
import { clamp, type Range } from './geometry';
import type { Scene } from './scene';

export interface Chosen {
  readonly lane: number;
  readonly bar: number;
}

/** Where nothing is chosen yet, the bar nearest to the middle of the view on the first lane that shows one. */
export function chosenFrom(scene: Scene, view: Range, at: Chosen | null, right: number, down: number): Chosen | null {
  const { lanes, now } = scene;
  if (!at) {
    for (let lane = 0; lane < lanes.length; ++lane) {
      const { bars } = lanes[lane]!, first = firstFrom(bars, view.from);
      if (first < bars.count && bars.start[first]! <= view.to) return { lane, bar: barAt(bars, (view.from + view.to) / 2, Infinity) };
    }
    return null;
  }
  const { bars } = lanes[at.lane]!;
  if (down === 0) return { lane: at.lane, bar: clamp(at.bar + right, 0, bars.count - 1) };
  const middle = (Math.max(bars.start[at.bar]!, view.from) + Math.min(endOf(bars, at.bar, now), view.to)) / 2;
  for (let lane = at.lane + down; lane >= 0 && lane < lanes.length; lane += down)
    if (lanes[lane]!.bars.count > 0) return { lane, bar: barAt(lanes[lane]!.bars, middle, Infinity) };
  return at;
}

/** The view moved no further than needed to show the bar, with some room around it. */
export function broughtInto(view: Range, from: number, to: number): Range {
  const width = view.to - view.from, room = width * 0.08;
  if (to >= view.from + room && from <= view.to - room) return view;
  const start = to < view.from + room ? Math.max(from, to - width + 2 * room) - room : Math.min(to, from + width - 2 * room) + room - width;
  return { from: start, to: start + width };
}
