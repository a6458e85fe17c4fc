import { expect, it } from 'vitest';
import { graphsOf, stateOf } from './steps';
import type { Job } from './types';

const at = (start_s: number, end_s: number, state?: string) => ({ gpu: 0, gpus: 1, load_s: 0, start_s, end_s, ...(state ? { state } : {}) });
const jobs: Job[] = [
  { request: 'a', node: 'embed', model: 'bge', plan: at(0, 1), actual: at(0, 2, 'succeeded') },
  { request: 'b', node: 'embed', model: 'bge', plan: at(1, 2), actual: at(2, 4, 'succeeded') },
  { request: 'a', node: 'draft', model: 'llama', plan: at(2, 5), actual: at(4, 5, 'failed') },
  { request: 'b', node: 'draft', model: 'llama', plan: at(5, 8) },
];

it('steps are gathered over requests, in the order of the plan', () => {
  const [graph] = graphsOf(jobs, undefined);
  expect(graph!.hasNeeds).toBe(false);
  expect(graph!.steps.map((step) => [step.name, step.done, step.failed, step.total])).toEqual([['embed', 2, 0, 2], ['draft', 0, 1, 2]]);
  expect(graph!.steps.map(stateOf)).toEqual(['succeeded', 'failed']);
  expect(graph!.steps[0]!.seconds).toBe(2);
});

it('workflows that the service tells bring their needs', () => {
  const [graph] = graphsOf(jobs, [{ name: 'rag', requests: 2, steps: [{ name: 'embed', model: 'bge', needs: [], seconds: 1 }, { name: 'draft', model: 'llama', needs: ['embed'], seconds: 3 }] }]);
  expect(graph!.steps[1]!.needs).toEqual(['embed']);
  expect(graph!.hasNeeds).toBe(true);
});
