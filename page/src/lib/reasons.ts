// Why a task waits, in a few words: the strongest reason first. Pure.

export interface Explained {
  id: number;
  state: string;
  waits: boolean;
  position?: number;
  paused?: boolean;
  held_s?: number | null;
  needs?: number[];
  behind?: number | null;
  cleared_for_it?: number[];
  gpus?: Record<string, number>;
}

const standing: [key: string, words: string][] = [
  ['busy', 'busy'],
  ['being_cleared', 'being cleared'],
  ['draining', 'draining'],
  ['reserved', 'reserved'],
  ['faulty', 'faulty'],
  ['no_worker', 'without worker'],
  ['too_small', 'too small'],
  ['too_few_neighbours', 'without enough neighbours'],
  ['memory_in_foreign_use', 'used by strangers'],
  ['not_the_one_it_is_tied_to', 'not the one it is tied to'],
];

export function reasonOf(why: Explained, seconds: (s: number) => string): string {
  if (!why.waits) return '';
  if (why.needs && why.needs.length > 0) return `needs ${why.needs.slice(0, 3).map((id) => `#${id}`).join(', ')}${why.needs.length > 3 ? ` and ${why.needs.length - 3} more` : ''}`;
  if (why.held_s != null && why.held_s > 0) return `held for ${seconds(why.held_s)}`;
  if (why.paused) return 'the queue is paused';
  if (why.cleared_for_it && why.cleared_for_it.length > 0) return 'GPUs are being cleared for it';
  const gpus = why.gpus ?? {};
  const total = gpus.total ?? 0;
  const tied = gpus.not_the_one_it_is_tied_to ?? 0;
  const parts = standing.filter(([key]) => (gpus[key] ?? 0) > 0).map(([key, words]) => `${gpus[key]} ${words}`);
  if ((gpus.suitable ?? 0) > 0 && why.behind != null) return `behind #${why.behind}`;
  if (tied > 0 && total - tied === 1) return `the GPU it is tied to is ${standing.find(([key]) => key !== 'not_the_one_it_is_tied_to' && (gpus[key] ?? 0) > 0)?.[1] ?? 'not free'}`;
  if (total > 1 && gpus.busy === total) return `all ${total} GPUs are busy`;
  if (parts.length > 0) return `GPUs: ${parts.slice(0, 3).join(', ')}`;
  return why.behind != null ? `behind #${why.behind}` : 'next in line';
}
