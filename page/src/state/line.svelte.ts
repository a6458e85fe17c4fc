// Who runs, stands in line and is held back, for the queue's view: pages of the service's own list, filtered and searched
// there, so that a million in line cost no more than what is shown.
import type { QueuePage, Waiting } from '../lib/types';
import { api } from './session.svelte';

const rowsAtOnce = 100;
const soonest = 900;

export interface Filter {
  readonly search: string;
  readonly priority: string;
  readonly state: string;
  readonly model: string;
}

class Line {
  rows = $state.raw<readonly Waiting[]>([]);
  /** Of the last page that was read: how many there are in all, and how starts are foreseen. */
  told = $state.raw<QueuePage | null>(null);
  /** Tasks that were looked at for what is shown. */
  lookedAt = $state(0);
  /** Whether there are others behind those shown. */
  more = $state(false);
  private wish = '';
  private pages = 1;
  private busy = false;
  private again = false;
  private askedAt = -Infinity;

  /** Another filter begins at the front. */
  async look(filter: Filter, now = false): Promise<void> {
    const query = new URLSearchParams({ limit: String(rowsAtOnce) });
    for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value);
    const changed = this.wish !== query.toString();
    if (changed) [this.wish, this.pages] = [query.toString(), 1];
    if (!now && !changed && performance.now() - this.askedAt < soonest) return;
    if (this.busy) {
      this.again ||= changed || now;
      return;
    }
    await this.read();
  }
  async further(): Promise<void> {
    ++this.pages;
    if (!this.busy) await this.read();
  }

  private async read(): Promise<void> {
    this.busy = true;
    this.askedAt = performance.now();
    try {
      do {
        this.again = false;
        await this.readPages();
      } while (this.again);
    } catch {
      // The service is away; the next look finds it.
    } finally {
      this.busy = false;
    }
  }

  private async readPages(): Promise<void> {
    const wish = this.wish;
    const rows: Waiting[] = [];
    let looked = 0, after = '', last: QueuePage | null = null;
    for (let i = 0; i < this.pages && (i === 0 || after); ++i) {
      last = await api.get<QueuePage>(`/api/v1/queue/tasks?${wish}${after && `&after=${encodeURIComponent(after)}`}`);
      rows.push(...last.tasks);
      looked += last.looked_at;
      after = last.next ?? '';
    }
    if (wish !== this.wish) return;
    // One who moved while the pages were read may stand on two of them.
    const seen = new Set<number>();
    this.rows = rows.filter((row) => !seen.has(row.id) && seen.add(row.id));
    [this.told, this.lookedAt, this.more] = [last, looked, after !== ''];
  }
}

export const line = new Line();
