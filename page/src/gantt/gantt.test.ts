import { describe, expect, it } from 'vitest';
import { type Bar, barAt, barsOf, firstFrom, paintCode, refBefore } from './bars';
import { broughtInto, type Chosen, chosenFrom } from './choice';
import { type Frame, markDistance, marksOf, moved, settled, timeAt, xOf, zoomed } from './geometry';
import { eachRun } from './merge';
import { rowsOf, type Scene } from './scene';

const frame: Frame = { width: 1070, height: 500, left: 60, top: 28, right: 10, tall: 800 };
const all = { from: 0, to: 100 };

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): () => number {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

function someBars(seed: number, count: number): Bar[] {
  const next = random(seed);
  let t = 0;
  return Array.from({ length: count }, (_, ref) => {
    const start = t + (next() < 0.3 ? next() : 0);
    t = start + next() * 0.5;
    return { start, end: t, model: Math.floor(next() * 4), isSwitch: next() < 0.1, ref };
  });
}

describe('the view', () => {
  it('keeps the time under the pointer when it zooms', () => {
    const view = { from: 10, to: 50, scroll: 0 };
    const at = timeAt(view, frame, 400);
    expect(timeAt(zoomed(view, frame, 0.3, 400), frame, 400)).toBeCloseTo(at, 9);
  });
  it('moves by the pixels it is dragged', () => {
    const view = moved({ from: 10, to: 60, scroll: 0 }, frame, 100, 7);
    expect(view.from).toBeCloseTo(15);
    expect(view.scroll).toBe(7);
  });
  it('stays inside what there is', () => {
    expect(settled({ from: -50, to: 500, scroll: -3 }, frame, all)).toEqual({ from: 0, to: 100, scroll: 0 });
    expect(settled({ from: 95, to: 115, scroll: 1e9 }, frame, all)).toEqual({ from: 80, to: 100, scroll: 328 });
    const deep = settled({ from: 5, to: 5, scroll: 0 }, frame, all);
    expect(deep.to - deep.from).toBeCloseTo(1e-4, 9);
  });
  it('has x and time as inverses', () => {
    const view = { from: 3, to: 17, scroll: 0 };
    for (const t of [3, 4.5, 17]) expect(timeAt(view, frame, xOf(view, frame, t))).toBeCloseTo(t, 9);
  });
});

describe('marks of time', () => {
  it('are round and not too close', () => {
    expect([0.03, 0.4, 1, 7, 31, 4000, 200000].map(markDistance)).toEqual([0.05, 0.5, 1, 10, 60, 7200, 259200]);
  });
  it('are counted from zero', () => {
    expect(marksOf({ from: 12, to: 42, scroll: 0 }, frame, 2).times).toEqual([12, 17, 22, 27, 32, 37, 42]);
  });
});

describe('bars', () => {
  it('never overlap on a lane', () => {
    const bars = barsOf([
      { start: 5, end: 9, model: 0, isSwitch: false, ref: 1 },
      { start: 0, end: 6, model: 0, isSwitch: false, ref: 0 },
    ]);
    expect([...bars.end]).toEqual([5, 9]);
    expect([...bars.ref]).toEqual([0, 1]);
  });
  it('are found as a walk over all of them finds them', () => {
    for (let seed = 1; seed <= 50; ++seed) {
      const bars = barsOf(someBars(seed, 60));
      const next = random(seed + 1000);
      for (let k = 0; k < 40; ++k) {
        const t = next() * 25;
        let naive = 0;
        while (naive < bars.count && bars.end[naive]! < t) ++naive;
        expect(firstFrom(bars, t), `seed ${seed}`).toBe(naive);
        let inside = -1;
        for (let i = 0; i < bars.count && inside < 0; ++i) if (bars.start[i]! <= t && t <= bars.end[i]!) inside = i;
        expect(barAt(bars, t, 0), `seed ${seed}`).toBe(inside);
      }
    }
  });
});

describe('bars that share a pixel', () => {
  const pixels = (scale: number) => ({ scale, zero: 0, edge: 0, right: 1000, air: 1, now: 1e9 });
  it('become one rectangle a colour, in order and without overlap', () => {
    for (let seed = 1; seed <= 30; ++seed) {
      const bars = barsOf(someBars(seed, 4000));
      const drawn: { paint: number; x: number; width: number }[] = [];
      const scale = 1000 / bars.end[bars.count - 1]!;
      eachRun(bars, 0, 1e9, pixels(scale), (paint, x, width) => drawn.push({ paint, x, width }));
      expect(drawn.length, `seed ${seed}`).toBeLessThanOrEqual(1000);
      for (let i = 1; i < drawn.length; ++i) expect(drawn[i]!.x, `seed ${seed}`).toBeGreaterThanOrEqual(drawn[i - 1]!.x + drawn[i - 1]!.width);
    }
  });
  it('keep their edges where there is room', () => {
    const bars = barsOf([
      { start: 0, end: 10, model: 0, isSwitch: true, ref: 0 },
      { start: 10, end: 30, model: 0, isSwitch: false, ref: 1 },
      { start: 30, end: 50, model: 0, isSwitch: false, ref: 2 },
    ]);
    const drawn: number[][] = [];
    eachRun(bars, 0, 50, pixels(2), (paint, x, width) => drawn.push([paint, x, width]));
    expect(drawn).toEqual([[paintCode(0, true), 0, 20], [paintCode(0, false), 20, 39], [paintCode(0, false), 60, 39]]);
  });
});

describe('a bar that is going on', () => {
  it('is drawn until now', () => {
    const bars = barsOf([{ start: 0, end: Infinity, model: 0, isSwitch: false, ref: 0 }]);
    const drawn: number[] = [];
    eachRun(bars, 0, 100, { scale: 1, zero: 0, edge: 0, right: 1000, air: 0, now: 40 }, (_paint, x, width) => drawn.push(x, width));
    expect(drawn).toEqual([0, 40]);
  });
  it('is the only one that now cuts: a plan reaches further', () => {
    const bars = barsOf([{ start: 0, end: 90, model: 0, isSwitch: true, ref: 0 }]);
    const drawn: number[] = [];
    eachRun(bars, 0, 100, { scale: 1, zero: 0, edge: 0, right: 1000, air: 0, now: 40 }, (_paint, x, width) => drawn.push(x, width));
    expect(drawn).toEqual([0, 90]);
  });
});

describe('lanes', () => {
  it('fit where nothing is zoomed, and grow with the zoom', () => {
    const lanes = Array.from({ length: 16 }, (_, i) => ({ isPlan: i % 2 === 0 }));
    expect(rowsOf(lanes, 2000).rows[1]!.height).toBe(26);
    expect(rowsOf(lanes, 300).tall).toBeCloseTo(300, 6);
    expect(rowsOf(Array(1000).fill({ isPlan: false }), 300).tall).toBeCloseTo(300, 6);
    expect(rowsOf(Array(1000).fill({ isPlan: false }), 300, 4).tall).toBeCloseTo(1200, 6);
  });
});

it('what had a lane before a bar is not the loading of its own model', () => {
  const bars = barsOf([
    { start: 0, end: 10, model: 0, isSwitch: false, ref: 4 },
    { start: 10, end: 12, model: 1, isSwitch: true, ref: 7 },
    { start: 12, end: 20, model: 1, isSwitch: false, ref: 7 },
  ]);
  expect([refBefore(bars, 12, 7), refBefore(bars, 20, 9), refBefore(bars, 0, 4)]).toEqual([4, 7, null]);
});

describe('a bar chosen by keys', () => {
  const bars = (...spans: [number, number][]) => barsOf(spans.map(([start, end], ref) => ({ start, end, model: 0, isSwitch: false, ref })));
  const lanes = [{ name: 'empty', isPlan: false, bars: bars() }, { name: 'gpu0', isPlan: false, bars: bars([0, 10], [10, 40], [50, 60]) }, { name: 'gpu1', isPlan: false, bars: bars([5, 30], [30, 90]) }];
  const scene = { lanes, all, paints: [], zero: 0, timeText: String, now: null, word: String, tip: () => ({ title: '', lines: [], why: [] }) } satisfies Scene;
  const from = (at: Chosen | null, right: number, down: number) => chosenFrom(scene, all, at, right, down);
  it('is at first the one in the middle', () => expect(from(null, 1, 0)).toEqual({ lane: 1, bar: 2 }));
  it('goes along its lane and stops at the ends', () => {
    expect(from({ lane: 1, bar: 0 }, 1, 0)).toEqual({ lane: 1, bar: 1 });
    expect(from({ lane: 1, bar: 2 }, 1, 0)).toEqual({ lane: 1, bar: 2 });
  });
  it('goes to what was at the same time on the next lane that has any', () => {
    expect(from({ lane: 1, bar: 2 }, 0, 1)).toEqual({ lane: 2, bar: 1 });
    expect(from({ lane: 1, bar: 0 }, 0, -1)).toEqual({ lane: 1, bar: 0 });
  });
  it('moves the view only where it must', () => {
    expect(broughtInto(all, 20, 30)).toBe(all);
    const left = broughtInto({ from: 50, to: 60 }, 20, 22), right = broughtInto({ from: 50, to: 60 }, 80, 200);
    expect(left.from).toBeLessThan(20);
    expect(left.to).toBeGreaterThan(22);
    expect(right.from).toBeLessThan(80);
    expect(right.to).toBeGreaterThan(80);
  });
});
