import { expect, it } from 'vitest';
import type { Waiting } from './types';
import { filtered, inOrder } from './waiting';

const row = (id: number, over: Partial<Waiting> = {}): Waiting => ({
  id, name: '', user: '', model: null, command: [], priority: 'NORMAL', state: 'queued', position: null, reason: '', expected_start_s: null, submitted: '', gpus: 1, ...over,
});
const none = { text: '', level: '', state: '', model: '' };

it('who runs stands first, then position, then priority and age', () => {
  const rows = [row(1), row(2, { priority: 'HIGH' }), row(3, { state: 'running' }), row(4, { state: 'blocked', priority: 'CRITICAL' })];
  expect(rows.sort(inOrder).map((one) => one.id)).toEqual([3, 2, 1, 4]);
  const placed = [row(1, { position: 2 }), row(2, { position: 1 })];
  expect(placed.sort(inOrder).map((one) => one.id)).toEqual([2, 1]);
});

it('every word of a search must be found', () => {
  const rows = [row(17, { name: 'train alpha', user: 'anna' }), row(2, { model: 'bge' })];
  expect(filtered(rows, { ...none, text: 'ALPHA anna' }).map((one) => one.id)).toEqual([17]);
  expect(filtered(rows, { ...none, text: '#17' })).toHaveLength(1);
  expect(filtered(rows, { ...none, text: 'alpha bge' })).toHaveLength(0);
  expect(filtered(rows, { ...none, model: 'bge' })).toHaveLength(1);
});
