import { expect, it } from 'vitest';
import { needsIn } from './run_needs';
import { spellsOfRun } from './run_spells';

const named = { request: 'r0', node: 'draft', model: 'bge' };

it('a step under way is shown before it has ended', () => {
  const [spell] = spellsOfRun({ jobs: [{ ...named, running: { gpu: 2, gpus: 2, start_s: 5 } }], loads: [] });
  expect(spell).toMatchObject({ name: 'r0 / draft', gpus: [2, 3], start: 5, end: null, state: 'running' });
});

it('a step tried again is under way, though it has ended before', () => {
  const spells = spellsOfRun({ jobs: [{ ...named, actual: { gpu: 0, gpus: 1, load_s: 1, start_s: 0, end_s: 3, state: 'failed' }, running: { gpu: 1, gpus: 1, start_s: 4 } }], loads: [] });
  expect(spells.map(({ start, end }) => [start, end])).toEqual([[4, null]]);
});

it('needs are those of the workflow that has just these steps', () => {
  const step = (name: string, needs: string[] = []) => ({ name, model: 'bge', needs, seconds: 1 });
  const workflows = [{ name: 'rag', requests: 2, steps: [step('embed'), step('draft', ['embed'])] }, { name: 'one', requests: 1, steps: [step('draft')] }];
  const steps = [{ request: 'a', node: 'embed' }, { request: 'a', node: 'draft' }, { request: 'b', node: 'draft' }];
  const needs = needsIn(steps, workflows);
  expect(needs(steps[1]!)).toEqual([steps[0]]);
  expect(needs(steps[2]!)).toEqual([]);
  expect(needs({ request: 'unknown', node: 'draft' })).toEqual([]);
});
