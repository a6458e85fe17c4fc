import { expect, it } from 'vitest';
import { lanesOf, type Planned, type Spell } from './lanes';
import { lanesByGpu, plannedTip, toldBy, whyHappened } from './tips';
import type { Task } from './types';

const at = (t: number) => `${t}s`;
const spell = (over: Partial<Spell>): Spell => ({ task: 1, attempt: 1, name: '', model: 'bge', state: 'succeeded', gpus: [0], start: 0, end: 10, load: 0, ...over });
const spells = [spell({ task: 1, model: 'sdxl' }), spell({ task: 2, start: 10.1, end: 20, load: 2 }), spell({ task: 3, gpus: [1], start: 3, end: null })];
const byGpu = lanesByGpu(lanesOf([0, 1], spells, [], () => 0).lanes);
const task = (over: Partial<Task>) => ({ submitted: '1970-01-01T00:00:04Z', attempts: [], ...over }) as unknown as Task;

it('a call tells who had its GPU before, and that its model was loaded', () =>
  expect(whyHappened(spells, byGpu, 1, { submitted: 4, needs: [] }, at)).toEqual(['its model was loaded first, 2.00s, after sdxl', 'waited 6.10s for its GPU, which #1 had until 10s']));

it('of one under way nothing is said of loading, which is told at its end', () =>
  expect(whyHappened(spells, byGpu, 2, { submitted: 3, needs: [] }, at)).toEqual(['starts at once']));

it('of a task nobody has told of yet, only what is seen', () => expect(whyHappened(spells, byGpu, 1, null, at)).toEqual(['its model was loaded first, 2.00s, after sdxl']));

it('a second attempt waits since the first one ended, and says how', () => {
  const attempt = (number: number, ended: string | null, exit_code = 0) => ({ number, gpus: [0], started: null, ended, exit_code });
  const told = toldBy(task({ after: [7], attempts: [attempt(1, '1970-01-01T00:00:09Z', 3), attempt(2, null)] }), 2, () => 5);
  expect(told).toEqual({ submitted: 9, needs: [], again: ['attempt 2, for the one before it ended: exit code 3'] });
});

it('of what a task needs, only what is known to have ended counts', () =>
  expect(toldBy(task({ after: [7, 8] }), 1, (id) => (id === 7 ? 6 : null)).needs).toEqual([{ who: '#7', end: 6 }]));

it('a planned step tells what the plan has it wait for', () => {
  const step = (node: string, start: number, gpu: number): Planned => ({ run: 1, runName: 'evening', request: 'r0', node, model: 'bge', gpu, gpus: 1, loadStart: start, start, end: start + 5, zero: 0 });
  const planned = [step('embed', 0, 0), step('draft', 5, 1)];
  const lanes = lanesByGpu(lanesOf([0, 1], [], planned, () => 0).lanes);
  expect(plannedTip(planned, lanes, 1, false, 0, [planned[0]!], at)).toEqual({
    title: 'Planned: r0 / draft', lines: ['evening · model bge, gpu1', '5s – 10s (5.00s)'],
    why: ['its model was held here: no switch', 'waited for embed on gpu0, which it needs, until 5s'],
  });
});
