import { expect, it } from 'vitest';
import { machinesOf } from './machines';
import type { Gpu } from './types';

const gpu = (id: number, over: Partial<Gpu> = {}): Gpu => ({ id, simulated: true, memory_mb: 80000, state: 'free', task: null, next: null, ...over });

it('a service with GPUs of its own alone names no machine', () => {
  expect(machinesOf([gpu(0), gpu(1)]).map((machine) => [machine.title, machine.gpus.length])).toEqual([['', 2]]);
});

it('hosts are told apart, with the machine of the service among them', () => {
  const machines = machinesOf([gpu(0), gpu(1, { host: 'rack1', kind: 'h100', task: 7 }), gpu(2, { host: 'rack1', kind: 'h100' }), gpu(3, { host: 'rack2', state: 'no_worker' })]);
  expect(machines.map((machine) => machine.title)).toEqual(['this machine', 'rack1', 'rack2']);
  expect(machines.map((machine) => machine.told)).toEqual(['0 of 1 at work', 'h100 · 1 of 2 at work', 'away']);
});

it('a service that waits for hosts has none', () => {
  expect(machinesOf([])).toEqual([]);
});
