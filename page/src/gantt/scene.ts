// Scene: everything the chart draws, as its owner gives it. The chart itself knows nothing of tasks or plans.
import type { Bars } from './bars';
import type { Range } from './geometry';

export interface Lane {
  readonly name: string;
  readonly bars: Bars;
  /** A plan's lane is lower, and stands above the lane of what happened. */
  readonly isPlan: boolean;
}

export interface Tip {
  readonly title: string;
  readonly lines: readonly string[];
  /** Said softer: why it is here. */
  readonly why: readonly string[];
}

export interface Scene {
  readonly lanes: readonly Lane[];
  readonly all: Range;
  readonly paints: readonly { readonly fill: string; readonly ink: string }[];
  /** Where the marks of time are counted from, and how they are written. */
  readonly zero: number;
  readonly timeText: (t: number, step: number) => string;
  readonly now: number | null;
  /** The word on a bar that is wide enough. */
  readonly word: (ref: number) => string;
  readonly tip: (ref: number, lane: number, isSwitch: boolean) => Tip;
  /** Bars to outline beside the one that is pointed at, with a line from each. */
  readonly needs?: (ref: number) => readonly Mark[];
}

export interface Mark {
  readonly lane: number;
  readonly start: number;
  readonly end: number;
}

export const tallLane = 26;
export const lowLane = 11;
export const gap = 3;
export const between = 7;

export interface Row {
  readonly y: number;
  readonly height: number;
}

/** Where each lane stands; a plan's lane and the one below it belong together. All fit into `room` where nothing is
    zoomed; they grow with the zoom until they are easy to read. */
export function rowsOf(lanes: readonly { readonly isPlan: boolean }[], room: number, zoom = 1): { rows: Row[]; tall: number } {
  const full = laidOut(lanes, 1);
  return full.tall <= room * zoom ? full : laidOut(lanes, (room * zoom) / full.tall);
}

function laidOut(lanes: readonly { readonly isPlan: boolean }[], shrink: number): { rows: Row[]; tall: number } {
  const rows: Row[] = [];
  let y = (between / 2) * shrink;
  for (const { isPlan } of lanes) {
    const height = (isPlan ? lowLane : tallLane) * shrink;
    rows.push({ y, height });
    y += height + (isPlan ? gap : between) * shrink;
  }
  return { rows, tall: y };
}
