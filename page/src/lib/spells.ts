// The service's timeline as attempts. Pure.
import { unix } from './format';
import type { Spell } from './lanes';

/** What GET /api/v1/timeline answers. */
export interface Told {
  /** What has changed since is told when it is sent back. */
  readonly cursor: string;
  /** Whether there was more than fitted. */
  readonly more: boolean;
  /** The cursor was of another life of the service: forget what is known. */
  readonly reset: boolean;
  readonly earlier: string | null;
  readonly reaches_back_to: string;
  readonly models: readonly string[];
  readonly zero: string;
  readonly rows: readonly [task: number, attempt: number, gpu: number, gpus: number, model: number, load: number, start: number, end: number | null, state: string, name: string][];
}

export function spellsOf({ models, zero, rows }: Told): Spell[] {
  const from = unix(zero) ?? 0;
  return rows.map(([task, attempt, gpu, gpus, model, load, start, end, state, name]) => ({
    task, attempt, name: name || models[model] || `#${task}`, model: models[model] ?? null, state, load,
    gpus: Array.from({ length: gpus }, (_, i) => gpu + i),
    start: from + start,
    end: end === null ? null : from + end,
  }));
}
