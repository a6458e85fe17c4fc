// Tasks somebody points at: what only their own record tells (when they were handed in, what they need, how attempts
// went), asked for when first needed and kept for a while.
import type { Task } from '../lib/types';
import { api } from './session.svelte';

const mostKept = 300;
/** A pointer that passes over many asks about none of them. */
const rest = 120;

class AskedTasks {
  /** Grows when one has come. */
  come = $state(0);
  private readonly known = new Map<number, Task>();
  private wanted = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Null: not known yet. `attempt`: one at least so late. */
  find(id: number, attempt: number): Task | null {
    const task = this.known.get(id);
    if (task && task.attempts.length >= attempt) return task;
    if (this.wanted === id) return null;
    this.wanted = id;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(id), rest);
    return null;
  }

  private async ask(id: number): Promise<void> {
    try {
      const task = await api.get<Task>(`/api/v1/tasks/${id}`);
      this.known.set(id, task);
      for (const oldest of this.known.keys()) if (this.known.size > mostKept) this.known.delete(oldest);
      ++this.come;
    } catch {
      // It is told without.
    } finally {
      if (this.wanted === id) this.wanted = 0;
    }
  }
}

export const askedTasks = new AskedTasks();
