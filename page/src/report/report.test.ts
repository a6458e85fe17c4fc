import { expect, it } from 'vitest';
import { type Packed, unpack } from './packed';
import { tellers } from './telling';

/** As src/output/packed.cc writes them. */
function packedTimes(numbers: number[]): string {
  const bytes: number[] = [];
  for (let n of numbers) {
    for (; n >= 128; n = Math.floor(n / 128)) bytes.push((n % 128) + 128);
    bytes.push(n);
  }
  return btoa(String.fromCharCode(...bytes));
}

const packed: Packed = {
  makespan: 9, tick: 0.5, nodes: ['box'],
  requests: [[0, 2, 'r-', 0]],
  models: [{ name: 'bge', gpus: 1, fill: '#123456', ink: '#ffffff' }, { name: 'llama', gpus: 2, fill: '#654321', ink: '#ffffff' }],
  gpus: [['a100', 0, null], ['a100', 0, 0]],
  workflows: [[['embed', 0, []], ['draft', 1, [0]]]],
  // gpu0: jobs 0 (loads 1 s, 1 s), 1 (loads 1 s, 300 ticks); gpu1: job 2 (1 s)
  times: packedTimes([2, 0, 1, 2, 0, 2, 2, 1, 2, 0, 300, 1, 2, 0, 2]),
};

it('packed times come out as they went in', () => {
  const plan = unpack(packed);
  expect([plan.load[0], plan.loadEnd[0], plan.start[0], plan.end[0]]).toEqual([0, 1, 1, 2]);
  expect([plan.load[1], plan.loadEnd[1], plan.start[1], plan.end[1]]).toEqual([2, 3, 3, 153]);
  expect([plan.load[2], plan.start[2], plan.end[2], plan.firstGpu[2]]).toEqual([-1, 0, 1, 1]);
});

it('a gang lies on all its lanes', () => {
  expect(unpack(packed).lanes.map((lane) => lane.bars.count)).toEqual([4, 3]);
});

it('a bar tells which step it is and why it is there', () => {
  const tell = tellers(unpack(packed));
  expect(tell.word(2)).toBe('r-1 / embed');
  expect(tell.tip(0, 0, false).why).toEqual(['loaded onto an empty GPU, 1.00s', 'ready at 0s, waited for its GPU and the switch']);
  expect(tell.tip(1, 0, false).why).toEqual(['switched from bge, 1.00s', 'ready at 2.00s, waited for its GPUs and the switch']);
  expect(tell.tip(2, 1, false).why).toEqual(['model was held', 'starts at once']);
  expect(tell.needs(1)).toEqual([{ lane: 0, start: 1, end: 2 }]);
});
