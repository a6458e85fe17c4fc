import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Asked } from './api';
import { Feed, idBefore } from './feed';
import type { Message } from './sse';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A service with events of one life, numbered from 1; who asks after one it knows is told those behind it. */
class Service {
  readonly asked: string[] = [];
  readonly lines: { control: ReadableStreamDefaultController<Uint8Array>; told: number; open: boolean }[] = [];
  constructor(public life: number, public events: number, public remembered = 1000) {}

  open = async (_method: string, _path: string, { headers, signal }: Asked & { signal: AbortSignal }): Promise<Response> => {
    const last = headers?.['Last-Event-ID'] ?? '';
    this.asked.push(last);
    const [life, number] = last.split('-').map(Number);
    const known = last === '' || (life === this.life && number! <= this.events && number! >= this.events - this.remembered);
    const from = last !== '' && known ? number! : this.events;
    const body = new ReadableStream<Uint8Array>({
      start: (control) => {
        const line = { control, told: from, open: true };
        this.lines.push(line);
        signal.addEventListener('abort', () => line.open && ((line.open = false), control.error(new Error('aborted'))));
        control.enqueue(this.text(from, known ? 'hello' : 'gap'));
      },
    });
    this.tell();
    return new Response(body);
  };
  /** As many more, told to who listens. */
  happen(count = 1): void {
    this.events += count;
    this.tell();
  }
  cut(): void {
    for (const line of this.lines) if (line.open) (line.open = false), line.control.close();
  }
  listeners(): number {
    return this.lines.filter((line) => line.open).length;
  }
  private tell(): void {
    for (const line of this.lines) while (line.open && line.told < this.events) line.control.enqueue(this.text(++line.told, 'task'));
  }
  private text(number: number, event: string): Uint8Array {
    return new TextEncoder().encode(`id: ${this.life}-${number}\nevent: ${event}\ndata: {}\n\n`);
  }
}

function listening(service: Service) {
  const heard: Message[] = [];
  const feed = new Feed(service, { onMessages: (messages) => heard.push(...messages), onLine: () => {} });
  feed.start();
  return { feed, tasks: () => heard.filter(({ event }) => event === 'task').map(({ id }) => id), gaps: () => heard.filter(({ event }) => event === 'gap').length };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const ids = (life: number, from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${life}-${from + i}`);

it('who comes new is told the latest first, and then what happens', async () => {
  const service = new Service(7, 1000), { tasks } = listening(service);
  await pass(200);
  service.happen(2);
  await pass(200);
  expect(service.asked).toEqual(['', '7-700']);
  expect(tasks()).toEqual(ids(7, 701, 1002));
  expect(service.listeners()).toBe(1);
});

it('a service that has just begun has little to tell', async () => {
  const service = new Service(7, 2), { tasks } = listening(service);
  await pass(200);
  expect(service.asked).toEqual(['', '7-0']);
  expect(tasks()).toEqual(ids(7, 1, 2));
});

it('after a cut line it goes on where it stopped, with nothing lost or doubled', async () => {
  const service = new Service(7, 0), { tasks } = listening(service);
  await pass(200);
  for (let round = 0; round < 5; ++round) {
    service.happen(3);
    await pass(50);
    service.cut();
    service.happen(4);
    await pass(1000);
  }
  expect(tasks()).toEqual(ids(7, 1, 35));
});

it('while it rests it holds no line, and then it hears what it missed', async () => {
  const service = new Service(7, 5), { feed, tasks } = listening(service);
  await pass(200);
  feed.rest();
  await pass(200);
  expect(service.listeners()).toBe(0);
  service.happen(10);
  await pass(60_000);
  expect(tasks()).toEqual(ids(7, 1, 5));
  feed.start();
  await pass(200);
  expect(tasks()).toEqual(ids(7, 1, 15));
  expect(service.listeners()).toBe(1);
});

it('of another life of the service it is told of the gap, and the latest of it', async () => {
  const service = new Service(7, 5), { tasks, gaps } = listening(service);
  await pass(200);
  [service.life, service.events] = [8, 0];
  service.cut();
  service.happen(3);
  await pass(1000);
  expect(gaps()).toBe(1);
  expect(tasks()).toEqual([...ids(7, 1, 5), ...ids(8, 1, 3)]);
});

it('an id goes back no further than the beginning of its life', () => {
  expect([idBefore('1763582885-1000', 300), idBefore('3-12', 300)]).toEqual(['1763582885-700', '3-0']);
});
