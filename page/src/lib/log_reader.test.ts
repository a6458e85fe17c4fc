import { expect, it } from 'vitest';
import { LogReader } from './log_reader';

/** A log that is told in pieces of so many bytes, and may grow. */
function log(text: string, piece: number) {
  const asked: number[] = [];
  const told = { bytes: new TextEncoder().encode(text), asked };
  return Object.assign(told, {
    ask: async (from: number) => {
      asked.push(from);
      const part = told.bytes.slice(from, from + piece);
      return { bytes: part.buffer as ArrayBuffer, next: from + part.byteLength };
    },
  });
}
async function all(reader: LogReader): Promise<string> {
  let text = '';
  for (let more = await reader.more(); more !== null; more = await reader.more()) text += more;
  return text;
}

it('characters that two pieces share are whole', async () => {
  const text = 'Gleis 9¾ → Köln 🚂 fährt';
  for (let piece = 1; piece < 12; ++piece) expect(await all(new LogReader(log(text, piece).ask)), `pieces of ${piece}`).toBe(text);
});

it('what is added later is read from where it begins', async () => {
  const told = log('first', 100), reader = new LogReader(told.ask);
  expect(await all(reader)).toBe('first');
  told.bytes = new TextEncoder().encode('first, second');
  expect(await all(reader)).toBe(', second');
  expect(told.asked).toEqual([0, 5, 5, 13]);
});

it('a large log is read to its end, once', async () => {
  const told = log('x'.repeat(5000), 1024);
  expect((await all(new LogReader(told.ask))).length).toBe(5000);
  expect(told.asked).toEqual([0, 1024, 2048, 3072, 4096, 5000]);
});
