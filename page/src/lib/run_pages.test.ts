import { expect, it } from 'vitest';
import { mostSteps, pageOf, RunPages } from './run_pages';
import type { Job } from './types';

const job = (state?: string): Job => ({ request: 'r', node: 'n', model: 'm', ...(state ? { actual: { gpu: 0, gpus: 1, load_s: 0, start_s: 0, end_s: 1, state } } : {}) });
const page = (state?: string) => Array.from({ length: pageOf }, () => job(state));

it('what has succeeded is read once, the rest in turn', () => {
  const pages = new RunPages(), steps = 8 * pageOf;
  const first = pages.wanted(steps);
  expect(first).toHaveLength(8);
  first.forEach((from, i) => pages.take(from, page(i === 2 ? 'succeeded' : undefined), false));
  expect(pages.wanted(steps).map((from) => from / pageOf)).toEqual([0, 1, 3, 4, 5]);
  expect(pages.wanted(steps).map((from) => from / pageOf)).toEqual([6, 7, 0, 1, 3]);
  expect(pages.isSettled(steps)).toBe(false);
});

it('of a run that is over every page is read once more, and then none', () => {
  const pages = new RunPages(), steps = 3 * pageOf - 5;
  for (const from of pages.wanted(steps)) pages.take(from, page('failed'), false);
  for (const from of pages.wanted(steps)) pages.take(from, page('failed'), true);
  expect(pages.wanted(steps)).toEqual([]);
  expect(pages.isSettled(steps)).toBe(true);
});

it('a step that failed may be tried again: its page stays open', () => {
  const pages = new RunPages();
  pages.take(pages.wanted(1)[0]!, [job('failed')], false);
  expect(pages.wanted(1)).toEqual([0]);
});

it('no more is read than can be drawn', () => {
  expect(new RunPages().wanted(10 * mostSteps)).toHaveLength(mostSteps / pageOf);
});
