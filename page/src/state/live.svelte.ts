// What the service is doing, kept fresh: looked at anew when the stream of events says that something changed, twice a
// second at most, and every two seconds for what no event tells (memory, temperature). A page in the background rests: it
// does not look, and lets go of the stream, of which a browser gives one host only a few.
import { hear, type Heard, nothing } from '../lib/events';
import { Feed, type Line } from '../lib/feed';
import { unix } from '../lib/format';
import { History } from '../lib/history';
import { Pace } from '../lib/pace';
import type { Gpu, Model, Overview, Run } from '../lib/types';
import { api } from './session.svelte';

const soonest = 500;
const latest = 2000;
const afterEvents = 50;

class Live {
  overview = $state.raw<Overview | null>(null);
  gpus = $state.raw<Gpu[]>([]);
  models = $state.raw<Model[]>([]);
  runs = $state.raw<Run[]>([]);
  heard = $state.raw<Heard>(nothing);
  line = $state<Line>('connecting');
  /** The service's clock, in seconds: its own time and not the reader's counts. */
  now = $state(Date.now() / 1000);
  /** Grows with every look, for views that look at something of their own. */
  looks = $state(0);
  readonly history = new History(4);

  private ahead = 0;
  private slowAt = -Infinity;
  private clock: ReturnType<typeof setInterval> | undefined;
  private watching: AbortController | null = null;
  private readonly pace = new Pace(() => this.look(), soonest, latest);
  private readonly feed = new Feed(api, {
    onMessages: (messages) => {
      const gaps = this.heard.gaps;
      this.heard = hear(this.heard, messages);
      this.pace.soon(this.heard.gaps !== gaps ? 0 : afterEvents);
    },
    onLine: (line) => (this.line = line),
  });

  start(): void {
    if (this.watching) return;
    this.watching = new AbortController();
    document.addEventListener('visibilitychange', () => this.wakeOrRest(), { signal: this.watching.signal });
    this.wakeOrRest();
  }
  /** Nobody is signed in any more: what they were shown is not for the next. */
  stop(): void {
    this.watching?.abort();
    this.watching = null;
    this.rest();
    this.feed.forget();
    [this.overview, this.gpus, this.models, this.runs, this.heard, this.slowAt] = [null, [], [], [], nothing, -Infinity];
  }

  /** The reader has done something and wants to see it. */
  afterAct(): void {
    this.slowAt = -Infinity;
    this.pace.soon();
  }

  private wakeOrRest(): void {
    if (document.hidden) return this.rest();
    clearInterval(this.clock);
    this.clock = setInterval(() => (this.now = Date.now() / 1000 + this.ahead), 500);
    this.feed.start();
    this.pace.start();
  }
  private rest(): void {
    clearInterval(this.clock);
    this.feed.rest();
    this.pace.rest();
  }

  /** Models and runs change seldom enough: every two seconds, or at once when the reader has done something. */
  private async lookAtTheSlow(): Promise<void> {
    if (performance.now() - this.slowAt < latest - 100) return;
    this.slowAt = performance.now();
    const [models, runs] = await Promise.all([api.get<{ models: Model[] }>('/api/v1/models'), api.get<{ runs: Run[] }>('/api/v1/runs')]);
    if (!this.watching) return;
    this.models = models.models;
    this.runs = runs.runs.slice().sort((a, b) => b.id - a.id);
  }

  private async look(): Promise<void> {
    const watching = this.watching;
    try {
      const [overview, gpus] = await Promise.all([api.get<Overview>('/api/v1/overview'), api.get<{ gpus: Gpu[] }>('/api/v1/gpus'), this.lookAtTheSlow()]);
      if (watching !== this.watching) return;
      const at = unix(overview.at) ?? Date.now() / 1000;
      this.ahead = at - Date.now() / 1000;
      this.now = at;
      this.overview = overview;
      this.gpus = gpus.gpus;
      const ended = Object.values(overview.ended).reduce((sum, n) => sum + n, 0);
      this.history.add(at, [overview.queue.queued, overview.queue.running, ended, busyShare(gpus.gpus)]);
      ++this.looks;
    } catch {
      // The line says so, and the next look finds it.
    }
  }
}

function busyShare(gpus: readonly Gpu[]): number {
  return gpus.length === 0 ? 0 : gpus.filter((gpu) => gpu.task !== null).length / gpus.length;
}

export const live = new Live();
