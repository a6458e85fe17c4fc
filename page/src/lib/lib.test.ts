import { describe, expect, it } from 'vitest';
import { criticalPath } from './dag';
import { hear, nothing } from './events';
import { commandText, count, duration, size } from './format';
import { History, rateOf } from './history';
import { inkOn, paintOf } from './palette';
import { latestOf } from './latest';
import { parse, print } from './route';
import { EventReader } from './sse';

describe('figures', () => {
  it('have two units at most', () => {
    expect([0, 0.012, 1.5, 12.34, 59.99, 60, 3599, 3661, 90061].map(duration)).toEqual(
      ['0s', '12ms', '1.50s', '12.3s', '1m', '1m', '59m 59s', '1h 1m', '1d 1h']);
    expect(duration(null)).toBe('–');
    expect(duration(-61)).toBe('−1m 1s');
  });
  it('are grouped in threes', () => {
    expect([0, 999, 1000, 1234567].map(count)).toEqual(['0', '999', '1 000', '1 234 567']);
  });
  it('give sizes in gigabytes', () => {
    expect([0.5, 80, 2000, 15500, 140000].map(size)).toEqual(['500 kB', '80 MB', '2 GB', '15.5 GB', '140 GB']);
  });
  it('quote only words that need it', () => {
    expect(commandText(['sh', '-c', 'echo hi'])).toBe("sh -c 'echo hi'");
  });
});

describe('the address', () => {
  it('survives being printed and read', () => {
    const route = parse(print('runs', 'a/b', { tab: 'x y', none: '' }));
    expect(route).toEqual({ view: 'runs', id: 'a/b', query: { tab: 'x y' } });
  });
  it('leads to the overview where it is unknown or broken', () => {
    expect(parse('#/nowhere').view).toBe('overview');
    expect(parse('').view).toBe('overview');
    expect(parse('#/task/%zz').id).toBe('%zz');
  });
});

describe('the stream', () => {
  const text = 'id: 1-7\nevent: task\ndata: {"task":3,"what":"ended","state":"failed","at":"2026-01-31T14:05:09.123Z"}\n\n:\n\n';
  it('may be cut anywhere', () => {
    for (let cut = 0; cut <= text.length; ++cut) {
      const reader = new EventReader();
      const messages = [...reader.take(text.slice(0, cut)), ...reader.take(text.slice(cut))];
      expect(messages).toHaveLength(1);
      expect(messages[0]!.id).toBe('1-7');
    }
  });
  it('is remembered latest first', () => {
    const heard = hear(nothing, new EventReader().take(text + text.replace('"task":3', '"task":4').replace('1-7', '1-8')));
    expect(heard.lines.map((line) => line.task)).toEqual([4, 3]);
    expect(heard.lines[0]!.mood).toBe('bad');
  });
  it('is heard once, though it be told twice', () => {
    const messages = new EventReader().take(text + text);
    expect(hear(hear(nothing, messages), messages).lines).toHaveLength(1);
  });
  it('keeps a bounded number of lines', () => {
    const one = new EventReader().take(text)[0]!;
    const many = Array.from({ length: 5000 }, (_, i) => ({ ...one, id: `1-${i}` }));
    const { lines } = hear(nothing, many);
    expect(lines).toHaveLength(400);
    expect(lines[0]!.id).toBe('1-4999');
  });
  it('counts gaps', () => {
    expect(hear(nothing, [{ id: '2-0', event: 'gap', data: '{}' }]).gaps).toBe(1);
  });
});

describe('the critical path', () => {
  const step = (name: string, seconds: number, needs: string[] = []) => ({ name, model: '', seconds, needs });
  it('is the longest chain of needs', () => {
    expect(criticalPath([step('a', 1), step('b', 5, ['a']), step('c', 2, ['a']), step('d', 1, ['b', 'c'])])).toEqual(['a', 'b', 'd']);
  });
  it('does not hang on a circle', () => {
    expect(criticalPath([step('a', 1, ['b']), step('b', 1, ['a'])]).length).toBeGreaterThan(0);
  });
  it('of nothing is empty', () => expect(criticalPath([])).toEqual([]));
});

describe('history', () => {
  it('forgets its beginning and refuses to go back in time', () => {
    const history = new History(1, 3);
    for (const t of [1, 2, 2, 3, 4]) history.add(t, [t * 10]);
    expect(history.times).toEqual([2, 3, 4]);
    expect(history.columns[0]).toEqual([20, 30, 40]);
  });
  it('gives the rate of a counter', () => {
    expect(rateOf([0, 10, 20], [0, 100, 300], 10)).toBe(20);
    expect(rateOf([0], [0], 10)).toBeNull();
  });
});

describe('colours', () => {
  it('carry ink that can be read', () => {
    expect(inkOn('#000000')).toBe('#ffffff');
    expect(inkOn('#ffffff')).toBe('#14171a');
    const fills = Array.from({ length: 24 }, (_, i) => paintOf(i).fill);
    expect(new Set(fills).size).toBe(24);
  });
});

describe('what is kept', () => {
  const many = (count: number) => new Map(Array.from({ length: count }, (_, i) => [i, { start: (i * 7919) % count }]));
  it('is the latest, however it came in', () => {
    const kept = latestOf(many(2000), 1000);
    expect(kept.size).toBe(1000);
    expect(Math.min(...[...kept.values()].map(({ start }) => start))).toBe(1000);
  });
  it('is left alone while there are few', () => {
    const few = many(1040);
    expect(latestOf(few, 1000)).toBe(few);
  });
});
