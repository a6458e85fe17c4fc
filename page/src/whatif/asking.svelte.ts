// A question to the service: what if? Asked once at a time; the answer stays while the reader looks elsewhere.
import { EventReader } from '../lib/sse';
import { api } from '../state/session.svelte';
import type { Simulated } from './answer';
import { type Trouble, troubleIn } from './trouble';

export interface Wish {
  live: boolean;
  orders: string[];
  fit: string;
  place: string;
  cluster: string;
}

export interface Progress {
  order: number;
  orders: number;
  ended: number;
  jobs: number;
}

const largest = 48e6;
const path = '/api/v1/simulate';
/** A large trace is on its way for a while. */
const patience = 120_000;

class Asking {
  trace = $state.raw<{ name: string; text: string } | null>(null);
  result = $state.raw<Simulated | null>(null);
  /** While it is being worked on. */
  progress = $state.raw<Progress | null>(null);
  trouble = $state.raw<(Trouble & { fix?: string }) | null>(null);
  private leaving: AbortController | null = null;

  async read(file: File): Promise<void> {
    this.trouble = null;
    if (file.size > largest) this.trouble = { says: `${file.name} has ${Math.round(file.size / 1e6)} MB, the page sends at most ${largest / 1e6}.`, fix: "run 'switchyard simulate' in a terminal" };
    else this.trace = { name: file.name, text: await file.text() };
  }

  async ask(wish: Wish): Promise<void> {
    this.leaving?.abort();
    const leaving = (this.leaving = new AbortController());
    const { live, orders, fit, place, cluster } = wish;
    const body = {
      orders, place, ...(fit ? { fit } : {}), ...(cluster ? { cluster } : {}),
      ...(live ? { live } : { trace: this.trace?.text ?? '', name: this.trace?.name ?? 'trace.csv' }),
    };
    this.trouble = null;
    const before = this.result;
    this.progress = { order: 0, orders: orders.length, ended: 0, jobs: 0 };
    try {
      const response = await api.open('POST', path, { body, patience, signal: leaving.signal, headers: { Accept: 'text/event-stream' } });
      await this.listen(response);
    } catch (trouble) {
      if (leaving.signal.aborted) return;
      this.trouble = { says: trouble instanceof Error ? trouble.message : String(trouble) };
    } finally {
      if (this.trouble && this.result === before) this.result = null;  // it is about something else
      if (this.leaving === leaving) this.progress = null;
    }
  }

  cancel(): void {
    this.leaving?.abort();
    this.progress = null;
  }

  private async listen(response: Response): Promise<void> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const events = new EventReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the service hung up before it had an answer');
      for (const { event, data } of events.take(value)) {
        if (event === 'progress') this.progress = JSON.parse(data) as Progress;
        if (event === 'result') return void (this.result = JSON.parse(data) as Simulated);
        if (event !== 'refused') continue;
        const { error, fix } = JSON.parse(data) as { error: string; fix?: string };
        return void (this.trouble = { ...troubleIn(error, this.trace?.text ?? ''), ...(fix ? { fix } : {}) });
      }
    }
  }
}

export const asking = new Asking();
