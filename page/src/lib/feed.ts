// Feed: the stream of events, held open. When it breaks it is opened again where it stopped (Last-Event-ID), soon at
// first and then less often. Messages are handed on in batches, so that a thousand a second cost a few updates.
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

export class Feed {
  private lastId = '';
  private waiting: Message[] = [];
  private timer = 0;
  private pause = firstPause;
  private stopped = false;
  private current: AbortController | null = null;

  constructor(private readonly api: Api, private readonly ears: FeedEars) {}

  async run(): Promise<void> {
    while (!this.stopped) {
      this.ears.onLine('connecting');
      try {
        await this.listen();
      } catch {
        // Whatever broke it, the way back is the same.
      }
      if (this.stopped) return;
      this.ears.onLine('lost');
      await new Promise((go) => setTimeout(go, this.pause));
      this.pause = Math.min(longestPause, this.pause * 2);
    }
  }

  stop(): void {
    this.stopped = true;
    this.current?.abort();
    clearTimeout(this.timer);
  }

  private async listen(): Promise<void> {
    const control = (this.current = new AbortController());
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (this.lastId) headers['Last-Event-ID'] = this.lastId;
    const response = await this.api.ask('GET', '/api/v1/events', undefined, control.signal, headers);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    let watch = 0;
    try {
      for (;;) {
        clearTimeout(watch);
        watch = window.setTimeout(() => control.abort(), silence);
        const { done, value } = await reader.read();
        if (done) return;
        this.pause = firstPause;
        this.take(events.take(value));
      }
    } finally {
      clearTimeout(watch);
      control.abort();
    }
  }

  private take(messages: Message[]): void {
    if (messages.length === 0) return;
    if (messages.some((message) => message.event === 'hello' || message.event === 'gap')) this.ears.onLine('live');
    this.lastId = messages[messages.length - 1]!.id || this.lastId;
    this.waiting.push(...messages);
    if (this.timer === 0) this.timer = window.setTimeout(() => this.handOn(), every);
  }

  private handOn(): void {
    this.timer = 0;
    const messages = this.waiting;
    this.waiting = [];
    this.ears.onMessages(messages);
  }
}
