// Geometry of the chart: which seconds and lanes are in view, and how zooming and moving change that. Pure.

export interface View {
  readonly from: number;
  readonly to: number;
  /** Pixels of lanes above the top edge. */
  readonly scroll: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Pixels for names at the left and times at the top. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  /** All lanes together, in pixels. */
  readonly tall: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

export const shortest = 1e-4;

export const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

export const span = (frame: Frame): number => Math.max(1, frame.width - frame.left - frame.right);

export function xOf(view: View, frame: Frame, t: number): number {
  return frame.left + ((t - view.from) / (view.to - view.from)) * span(frame);
}

export function timeAt(view: View, frame: Frame, x: number): number {
  return view.from + ((x - frame.left) / span(frame)) * (view.to - view.from);
}

/** Inside what there is: no further out than everything, no further in than a tenth of a millisecond. */
export function settled(view: View, frame: Frame, all: Range): View {
  const whole = Math.max(shortest, all.to - all.from);
  const width = clamp(view.to - view.from, Math.min(shortest, whole), whole);
  const from = clamp(view.from, all.from, all.to - width);
  const most = Math.max(0, frame.tall - (frame.height - frame.top));
  return { from, to: from + width, scroll: clamp(view.scroll, 0, most) };
}

/** The time under `x` stays there. */
export function zoomed(view: View, frame: Frame, factor: number, x: number): View {
  const around = timeAt(view, frame, x);
  const share = (around - view.from) / (view.to - view.from);
  const width = (view.to - view.from) * factor;
  const from = around - share * width;
  return { from, to: from + width, scroll: view.scroll };
}

export function moved(view: View, frame: Frame, dx: number, dy: number): View {
  const seconds = (dx / span(frame)) * (view.to - view.from);
  return { from: view.from + seconds, to: view.to + seconds, scroll: view.scroll + dy };
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** A round distance between marks, no shorter than `rough` seconds. */
export function markDistance(rough: number): number {
  if (rough < 1) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return ([1, 2, 5, 10].find((k) => rough <= k * power * 1.0001) ?? 10) * power;
  }
  return steps.find((step) => rough <= step) ?? Math.ceil(rough / 86400) * 86400;
}

export interface Marks {
  readonly step: number;
  readonly times: readonly number[];
}

/** Whole multiples of the step, counted from `zero` (midnight of the reader's zone, or the start of a plan). */
export function marksOf(view: View, frame: Frame, zero: number, apart = 96): Marks {
  const step = markDistance(((view.to - view.from) / span(frame)) * apart);
  const times: number[] = [];
  for (let k = Math.ceil((view.from - zero) / step); zero + k * step <= view.to && times.length < 200; ++k) times.push(zero + k * step);
  return { step, times };
}
