import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Pace } from './pace';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When each act began, in milliseconds; each takes `takes`. */
function paced(takes = 10) {
  const zero = performance.now(), at: number[] = [];
  const pace = new Pace(async () => {
    at.push(Math.round(performance.now() - zero));
    await new Promise((go) => setTimeout(go, takes));
  }, 500, 2000);
  pace.start();
  return { pace, at };
}

it('where nothing happens it acts every two seconds', async () => {
  const { at } = paced();
  await vi.advanceTimersByTimeAsync(4100);
  expect(at).toEqual([0, 2010, 4020]);
});

it('where much happens it acts twice a second', async () => {
  const { pace, at } = paced();
  for (let i = 0; i < 149; ++i) {
    pace.soon(50);
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(at).toEqual([0, 500, 1000]);
});

it('what is wished while it acts is not put off to the latest', async () => {
  const { pace, at } = paced(100);
  await vi.advanceTimersByTimeAsync(50);
  pace.soon();
  await vi.advanceTimersByTimeAsync(1000);
  expect(at).toEqual([0, 500]);
});

it('a later wish does not put off a sooner one', async () => {
  const { pace, at } = paced();
  await vi.advanceTimersByTimeAsync(600);
  pace.soon();
  pace.soon(400);
  await vi.advanceTimersByTimeAsync(300);
  expect(at).toEqual([0, 600]);
});

it('it rests until it is started again', async () => {
  const { pace, at } = paced();
  await vi.advanceTimersByTimeAsync(100);
  pace.rest();
  pace.soon();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(at).toEqual([0]);
  pace.start();
  await vi.advanceTimersByTimeAsync(10);
  expect(at).toEqual([0, 10_100]);
});

it('it does not act twice at once when it is rested and started while it acts', async () => {
  const { pace, at } = paced(1000);
  await vi.advanceTimersByTimeAsync(100);
  pace.rest();
  pace.start();
  await vi.advanceTimersByTimeAsync(890);
  expect(at).toEqual([0]);
  await vi.advanceTimersByTimeAsync(100);
  expect(at).toHaveLength(2);
  expect(at[1]).toBeGreaterThanOrEqual(1000);
});
