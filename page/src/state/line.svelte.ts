// Who waits and runs, for the queue's view. Where the service tells the line as a whole, with reasons, that is shown;
// otherwise the latest tasks are read and the first rows are asked one by one why they wait.
import { duration } from '../lib/format';
import { type Explained, reasonOf } from '../lib/reasons';
import { ended, type Task, type Waiting } from '../lib/types';
import { inOrder, waitingOf } from '../lib/waiting';
import { api } from './session.svelte';

const most = 1000;
const explained = 24;

class Line {
  rows = $state.raw<readonly Waiting[]>([]);
  ready = $state(false);
  /** Whether more wait than are shown. */
  more = $state(false);
  /** Whether the service says when each is expected to start. */
  readonly withStart = $derived.by(() => this.rows.some((row) => row.expected_start_s !== null));
  private busy = false;
  private lookedAt = -Infinity;

  /** `now`: the reader has done something. Otherwise, where it takes many requests, every two seconds. */
  async look(now = false): Promise<void> {
    const whole = api.has('get', '/api/v1/queue/tasks');
    if (this.busy || (!now && !whole && performance.now() - this.lookedAt < 1900)) return;
    this.lookedAt = performance.now();
    this.busy = true;
    try {
      this.rows = whole ? await this.whole() : await this.pieced();
      this.ready = true;
    } catch {
      // The service is away; the next look finds it.
    } finally {
      this.busy = false;
    }
  }

  private async whole(): Promise<Waiting[]> {
    const { tasks, more } = await api.get<{ tasks: Waiting[]; more: boolean }>(`/api/v1/queue/tasks?limit=${most}`);
    this.more = more;
    return tasks;
  }

  private async pieced(): Promise<Waiting[]> {
    const { tasks } = await api.get<{ tasks: Task[] }>(`/api/v1/tasks?limit=${most}`);
    this.more = tasks.length === most;
    const rows = tasks.filter((task) => !ended.has(task.state)).map(waitingOf).sort(inOrder);
    await Promise.all(
      rows.filter((row) => row.state !== 'running').slice(0, explained).map(async (row) => {
        const why = await api.get<Explained>(`/api/v1/tasks/${row.id}/explain`).catch(() => null);
        if (!why?.waits) return;
        row.position = why.position ?? null;
        row.reason = reasonOf(why, duration);
      }),
    );
    return rows.sort(inOrder);
  }
}

export const line = new Line();
