// One task, looked at anew until it has ended. To be called where a view is made.
import { untrack } from 'svelte';
import { ended, type Task } from '../lib/types';
import { live } from './live.svelte';
import { api } from './session.svelte';

export interface WatchedTask {
  readonly task: Task | null;
  readonly trouble: string;
}

/** What is told of another task than the one that is now asked for is dropped. */
export function watchTask(idNow: () => string | null): WatchedTask {
  let told = $state.raw<{ id: string; task: Task | null; trouble: string } | null>(null);
  const shown = $derived(told?.id === idNow() ? told : null);

  $effect(() => {
    void live.looks;
    const id = idNow();
    const known = untrack(() => shown?.task ?? null);
    if (!id || (known && ended.has(known.state))) return;
    void api.get<Task>(`/api/v1/tasks/${encodeURIComponent(id)}`).then(
      (task) => id === idNow() && (told = { id, task, trouble: '' }),
      (failed: Error) => id === idNow() && (told = { id, task: null, trouble: failed.message }),
    );
  });
  return {
    get task() { return shown?.task ?? null; },
    get trouble() { return shown?.trouble ?? ''; },
  };
}
