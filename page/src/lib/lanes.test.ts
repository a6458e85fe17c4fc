import { expect, it } from 'vitest';
import { isSwitchOf } from '../gantt/bars';
import { lanesOf, plannedOf, type Spell } from './lanes';

const spell = (over: Partial<Spell>): Spell => ({ task: 1, attempt: 1, name: '', model: 'bge', state: 'succeeded', gpus: [0], start: 100, end: 110, load: 0, ...over });
const index = (model: string | null) => (model === 'bge' ? 0 : -1);

it('an attempt that loads is a switch and then work', () => {
  const { lanes } = lanesOf([0], [spell({ load: 3 })], [], index);
  const { bars } = lanes[0]!;
  expect([...bars.start]).toEqual([100, 103]);
  expect([...bars.paint].map(isSwitchOf)).toEqual([true, false]);
});

it('what still runs has no end', () => {
  const { lanes, to } = lanesOf([0], [spell({ end: null })], [], index);
  expect(lanes[0]!.bars.end[0]).toBe(Infinity);
  expect(to).toBe(100);
});

it('a gang lies on every lane it holds', () => {
  const { lanes } = lanesOf([0, 1, 2], [spell({ gpus: [1, 2] })], [], index);
  expect(lanes.map((lane) => lane.bars.count)).toEqual([0, 1, 1]);
});

it('the plan stands above what happened, on the same clock', () => {
  const timeline = { gpus: 1, loads: [], jobs: [{ request: 'r', node: 'n', model: 'bge', plan: { gpu: 0, gpus: 1, load_s: 2, start_s: 5, end_s: 9 } }] };
  const planned = plannedOf(1, 'x', 100, timeline);
  const { lanes, from } = lanesOf([0], [], planned, index);
  expect(lanes.map((lane) => lane.isPlan)).toEqual([true, false]);
  expect([...lanes[0]!.bars.start]).toEqual([103, 105]);
  expect(lanes[0]!.bars.ref[0]).toBe(-1);
  expect(from).toBe(103);
});

it('numbers of a host that was forgotten have no lane', () => {
  const { lanes } = lanesOf([0, 3], [spell({ gpus: [1] }), spell({ gpus: [3] })], [], index);
  expect(lanes.map((lane) => [lane.name, lane.bars.count])).toEqual([['gpu0', 0], ['gpu3', 1]]);
});
