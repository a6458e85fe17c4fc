import { expect, it } from 'vitest';
import type { Simulated, Tried } from './answer';
import { bestText, columnsOf, difference, summary } from './compare';
import { completionCurves, courseCurves, shareDone, timeMarks } from './curves';
import { sceneOf } from './scene';
import { troubleIn } from './trouble';

const tried = (order: string, more: Partial<Tried> = {}): Tried => ({
  order, jobs: 2, mean_wait_s: 10, mean_jct_s: 100, p50_jct_s: 90, p99_jct_s: 200, makespan_s: 20, utilization: 0.5, preemptions: 0, fairness: 1,
  with_deadline: 0, late: 0, lower_bound_mean_jct_s: 50, course: { step_s: 10, busy: [2, 1], waiting: [1, 0] }, completion_s: [1, 10, 100],
  spells: { job: [], lane: [], lanes: [], start_s: [], end_s: [] }, ...more,
});
const column = (name: string) => columnsOf([tried('a')]).find((one) => one.name === name)!;

it('the part of the jobs that are done grows from the first to the last', () => {
  expect([0.5, 1, 5.5, 10, 55, 100, 1000].map((at) => shareDone([1, 10, 100], at))).toEqual([0, 0, 0.25, 0.5, 0.75, 1, 1]);
});
it('completion times lie on one grid of powers, whatever the orders', () => {
  const { x, lines } = completionCurves([tried('a'), tried('b', { completion_s: [2, 20, 200] })]);
  expect(x[0]).toBeCloseTo(1);
  expect(x.at(-1)).toBeCloseTo(200);
  expect(lines.map((line) => line.at(-1))).toEqual([1, 1]);
});
it('a course ends where its order was through', () => {
  const { lines } = courseCurves([tried('a'), tried('b', { makespan_s: 10, course: { step_s: 5, busy: [2, 2], waiting: [0, 0] } })], 'busy');
  expect(lines[0]!.at(-1)).toBe(0);
  expect(lines[1]!.at(-1)).toBeNull();
  expect(lines[1]![0]).toBe(2);
});
it('marks of time are those people use', () => expect(timeMarks(0.5, 90_000)).toEqual([1, 10, 60, 600, 3600, 21600, 86400]));

it('the best of a column is marked, and none where all read the same', () => {
  const orders = [tried('a'), tried('b', { mean_jct_s: 50 })];
  expect(bestText(column('Mean completion'), orders)).toBe('50.0s');
  expect(bestText(column('p50'), orders)).toBe('');
  expect(bestText(column('Utilisation'), [tried('a'), tried('b', { utilization: 0.9 })])).toBe('90.0 %');
});
it('an order is told apart from the one in force', () => {
  const base = tried('a', { in_force: true });
  expect(difference(column('Mean completion'), tried('b', { mean_jct_s: 68 }), base)).toEqual({ text: '−32 %', better: true });
  expect(difference(column('Utilisation'), tried('b', { utilization: 0.4 }), base)).toEqual({ text: '−20 %', better: false });
  expect(difference(column('Mean completion'), tried('b', { mean_jct_s: 5000 }), base)).toEqual({ text: '×50', better: false });
  expect(difference(column('Mean completion'), base, base)).toBeNull();
  expect(difference(column('Mean completion'), tried('b'), undefined)).toBeNull();
});
it('a sentence says what would be better, or that nothing is', () => {
  const base = tried('priority', { in_force: true });
  expect(summary([base, tried('sjf', { mean_jct_s: 50 })])).toBe('sjf would complete jobs in 50.0s on average, 50 % sooner than priority, which is in force.');
  expect(summary([base, tried('rr', { mean_jct_s: 150 })])).toBe('priority, which is in force, completes jobs in 1m 40s on average; none of these is faster.');
});

const told: Pick<Simulated, 'jobs' | 'cluster' | 'source'> = {
  source: { live: true, name: '', jobs: 2, running: 1 }, cluster: { nodes: 1, gpus: 3, own: true, lanes: ['gpu0', 'gpu1', 'gpu3'] },
  jobs: { grouped_by: 'model', groups: ['bge'], id: ['7', '9'], group: [0, -1], user: ['ann', ''], submit_s: [-5, -3], gpus: [2, 1] },
};
it('a gang lies on all its lanes, and a bar tells whose it is', () => {
  const one = tried('a', { spells: { job: [0, 1], lane: [0, 0], lanes: [2, 1], start_s: [0, 4], end_s: [4, 6] } });
  const scene = sceneOf(told, one, [])!;
  expect(scene.lanes.map((lane) => [lane.name, lane.bars.count])).toEqual([['gpu0', 2], ['gpu1', 1], ['gpu3', 0]]);
  expect(scene.all).toEqual({ from: 0, to: 6 });
  expect(scene.word(0)).toBe('#7');
  expect(scene.tip(0, 0, false)).toEqual({ title: '#7', lines: ['model bge', 'user ann', '2 GPUs, 0s – 4.00s (4.00s)'], why: ['starts at once'] });
  expect(scene.tip(1, 0, false).why).toEqual(['waits 4.00s from now on']);
});
it('without lanes there is no chart', () => expect(sceneOf({ ...told, cluster: { ...told.cluster, lanes: [] } }, tried('a'), [])).toBeNull());

it('a trouble of a trace comes with its line and a mark below the place', () => {
  const text = 'job_id,submit_s\r\na,0\r\nb,x\r\n';
  expect(troubleIn("jobs.csv:3:3: submit_s is 'x', it must be a number", text)).toEqual({ says: "submit_s is 'x', it must be a number", line: 3, column: 3, row: 'b,x', before: '  ' });
  expect(troubleIn('no order is called lifo', text)).toEqual({ says: 'no order is called lifo' });
});
