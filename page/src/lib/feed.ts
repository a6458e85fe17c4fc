// Feed: the stream of events, held open while somebody looks. When it breaks, or was put down for a while, it is opened
// again where it stopped (Last-Event-ID): after a break soon at first and then less often. Who comes new, or was away for
// too long, is told the latest events first. Messages are handed on in batches, so that a thousand a second cost a few updates.
import type { Api } from './api';
import { EventReader, type Message } from './sse';

export type Line = 'connecting' | 'live' | 'lost';

export interface FeedEars {
  onMessages(messages: Message[]): void;
  onLine(line: Line): void;
}

const every = 120;
const firstPause = 400;
const longestPause = 8000;
/** The service gives a sign of life every 15 seconds. */
const silence = 40_000;
/** Of those that happened before one listened. */
const toldFromBefore = 300;

/** The id that stands so many events before this one ("life-number"). */
export function idBefore(id: string, count: number): string {
  const dash = id.lastIndexOf('-');
  return `${id.slice(0, dash)}-${Math.max(0, Number(id.slice(dash + 1)) - count)}`;
}

export class Feed {
  private lastId = '';
  private waiting: Message[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pause = firstPause;
  /** Of the listening that goes on; null: it rests. */
  private current: AbortController | null = null;

  constructor(private readonly api: Pick<Api, 'open'>, private readonly ears: FeedEars) {}

  start(): void {
    if (this.current) return;
    this.pause = firstPause;
    void this.run((this.current = new AbortController()));
  }
  /** It lets go of the line and keeps its place. */
  rest(): void {
    this.current?.abort();
    this.current = null;
  }

  /** The next to listen is somebody else. */
  forget(): void {
    this.rest();
    clearTimeout(this.timer);
    [this.timer, this.waiting, this.lastId] = [undefined, [], ''];
  }

  private async run(going: AbortController): Promise<void> {
    const { signal } = going;
    this.ears.onLine('connecting');
    while (!signal.aborted) {
      let again = false;
      try {
        again = await this.listen(signal);
      } catch {
        // Whatever broke it, the way back is the same.
      }
      if (signal.aborted) return;
      if (again) continue;
      this.ears.onLine('lost');
      await new Promise<void>((go) => {
        setTimeout(go, this.pause);
        signal.addEventListener('abort', () => go());
      });
      this.pause = Math.min(longestPause, this.pause * 2);
      if (!signal.aborted) this.ears.onLine('connecting');
    }
  }

  /** Until it breaks; true: it is to be opened anew at once, further back. */
  private async listen(going: AbortSignal): Promise<boolean> {
    const control = new AbortController(), leave = () => control.abort();
    going.addEventListener('abort', leave);
    let watch: ReturnType<typeof setTimeout> | undefined;
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (this.lastId) headers['Last-Event-ID'] = this.lastId;
      const response = await this.api.open('GET', '/api/v1/events', { headers, signal: control.signal });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const events = new EventReader();
      for (;;) {
        clearTimeout(watch);
        watch = setTimeout(leave, silence);
        const { done, value } = await reader.read();
        if (done || going.aborted) return false;
        this.pause = firstPause;
        if (this.take(events.take(value))) return true;
      }
    } finally {
      clearTimeout(watch);
      going.removeEventListener('abort', leave);
      control.abort();
    }
  }

  private take(messages: Message[]): boolean {
    const first = messages[0];
    if (!first) return false;
    const isNew = (first.event === 'hello' && this.lastId === '') || first.event === 'gap';
    if (first.event === 'hello' || first.event === 'gap') this.ears.onLine('live');
    const from = isNew ? idBefore(first.id, toldFromBefore) : '';
    const goesBack = isNew && from !== first.id;
    const taken = goesBack ? [first] : messages;
    this.lastId = goesBack ? from : taken[taken.length - 1]!.id || this.lastId;
    this.waiting.push(...taken);
    this.timer ??= setTimeout(() => this.handOn(), every);
    return goesBack;
  }

  private handOn(): void {
    this.timer = undefined;
    const messages = this.waiting;
    this.waiting = [];
    this.ears.onMessages(messages);
  }
}
