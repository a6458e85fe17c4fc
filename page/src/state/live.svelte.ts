// What the service is doing, kept fresh: looked at anew when the stream of events says that something changed, twice a
// second at most, and every two seconds for what no event tells (memory, temperature). A page in the background rests.
import { Refused } from '../lib/api';
import { hear, type Heard, nothing } from '../lib/events';
import { Feed, type Line } from '../lib/feed';
import { unix } from '../lib/format';
import { History } from '../lib/history';
import type { Gpu, Model, Overview, Run } from '../lib/types';
import { api, session } from './session.svelte';

const soonest = 500;
const latest = 2000;

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
  private feed: Feed | null = null;
  private due = 0;
  private lookedAt = 0;
  private looking = false;

  start(): void {
    if (this.feed) return;
    this.feed = new Feed(api, {
      onMessages: (messages) => {
        const gaps = this.heard.gaps;
        this.heard = hear(this.heard, messages);
        this.soon(this.heard.gaps !== gaps ? 0 : soonest);
      },
      onLine: (line) => (this.line = line),
    });
    void this.feed.run();
    document.addEventListener('visibilitychange', () => document.hidden || this.soon(0));
    setInterval(() => (this.now = Date.now() / 1000 + this.ahead), 500);
    void this.look();
  }

  /** Look again within `most` milliseconds, though not sooner than half a second after the last time. */
  soon(most = 0): void {
    const at = Math.max(this.lookedAt + soonest, performance.now() + Math.min(most, 50));
    if (this.due !== 0 && this.dueAt <= at) return;
    clearTimeout(this.due);
    this.dueAt = at;
    this.due = window.setTimeout(() => void this.look(), Math.max(0, at - performance.now()));
  }
  private dueAt = 0;

  /** Models and runs change seldom enough: every two seconds, or at once when the reader has done something. */
  private async lookAtTheSlow(): Promise<void> {
    if (!this.wanted && performance.now() - this.slowAt < latest - 100) return;
    [this.slowAt, this.wanted] = [performance.now(), false];
    const [models, runs] = await Promise.all([api.get<{ models: Model[] }>('/api/v1/models'), api.get<{ runs: Run[] }>('/api/v1/runs')]);
    this.models = models.models;
    this.runs = runs.runs.slice().sort((a, b) => b.id - a.id);
  }
  private slowAt = -Infinity;
  private wanted = false;

  /** The reader has done something and wants to see it. */
  afterAct(): void {
    this.wanted = true;
    this.soon(0);
  }

  private async look(): Promise<void> {
    clearTimeout(this.due);
    this.due = 0;
    if (this.looking) return;
    this.looking = true;
    this.lookedAt = performance.now();
    try {
      const [overview, gpus] = await Promise.all([api.get<Overview>('/api/v1/overview'), api.get<{ gpus: Gpu[] }>('/api/v1/gpus'), this.lookAtTheSlow()]);
      const at = unix(overview.at) ?? Date.now() / 1000;
      this.ahead = at - Date.now() / 1000;
      this.now = at;
      this.overview = overview;
      this.gpus = gpus.gpus;
      const ended = Object.values(overview.ended).reduce((sum, n) => sum + n, 0);
      this.history.add(at, [overview.queue.queued, overview.queue.running, ended, busyShare(gpus.gpus)]);
      ++this.looks;
    } catch (trouble) {
      if (trouble instanceof Refused && trouble.status === 401) session.expired();
    } finally {
      this.looking = false;
      if (!document.hidden) {
        clearTimeout(this.due);
        this.dueAt = performance.now() + latest;
        this.due = window.setTimeout(() => void this.look(), latest);
      }
    }
  }
}

function busyShare(gpus: readonly Gpu[]): number {
  return gpus.length === 0 ? 0 : gpus.filter((gpu) => gpu.task !== null).length / gpus.length;
}

export const live = new Live();
