import { expect, it } from 'vitest';
import { spellsOf } from './spells';

it('rows become attempts on the clock on the wall', () => {
  const told = { cursor: '', more: false, reset: false, earlier: null, reaches_back_to: '', models: ['bge'], zero: '1970-01-01T00:16:40.000Z',
    rows: [[7, 2, 3, 2, 0, 0.5, 1, 2.5, 'succeeded', 'embed'], [8, 1, 0, 1, -1, 0, 2, null, 'running', '']] } as const;
  expect(spellsOf({ ...told, rows: told.rows.map((row) => [...row]) })).toEqual([
    { task: 7, attempt: 2, name: 'embed', model: 'bge', state: 'succeeded', load: 0.5, gpus: [3, 4], start: 1001, end: 1002.5 },
    { task: 8, attempt: 1, name: '#8', model: null, state: 'running', load: 0, gpus: [0], start: 1002, end: null },
  ]);
});
