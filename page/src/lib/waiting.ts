// The queue as rows: filtered, searched, in order. Pure.
import type { Task, Waiting } from './types';
import { levels } from './types';

export interface Filter {
  readonly text: string;
  readonly level: string;
  readonly state: string;
  readonly model: string;
}

const rank = new Map<string, number>(levels.map((level, i) => [level, i]));

/** Who runs stands first, then by position where it is known, then by priority and age. */
export function inOrder(a: Waiting, b: Waiting): number {
  const running = Number(b.state === 'running') - Number(a.state === 'running');
  if (running !== 0) return running;
  if (a.position !== null && b.position !== null && a.position !== b.position) return a.position - b.position;
  if ((a.state === 'queued') !== (b.state === 'queued')) return a.state === 'queued' ? -1 : 1;
  return (rank.get(a.priority) ?? 9) - (rank.get(b.priority) ?? 9) || a.id - b.id;
}

export function filtered(rows: readonly Waiting[], filter: Filter): Waiting[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (filter.level && row.priority !== filter.level) return false;
    if (filter.state && row.state !== filter.state) return false;
    if (filter.model && row.model !== filter.model) return false;
    const text = `#${row.id} ${row.name} ${row.user} ${row.model ?? ''} ${row.command.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function waitingOf(task: Task): Waiting {
  return {
    id: task.id, name: task.name, user: task.user, model: task.model, command: task.command, priority: task.priority,
    state: task.state, position: null, reason: '', expected_start_s: null, submitted: task.submitted, gpus: task.gpus,
  };
}
