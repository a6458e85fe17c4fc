// The machines that GPUs are in. A service that has only its own shows no names; one with hosts shows all of them. Pure.
import type { Gpu } from './types';

export interface Machine {
  /** Of a host; empty: the service's own machine. */
  readonly name: string;
  /** Above its GPUs; empty where there is nothing to tell apart. */
  readonly title: string;
  readonly told: string;
  readonly gpus: readonly Gpu[];
}

export function machinesOf(gpus: readonly Gpu[]): Machine[] {
  const groups = new Map<string, Gpu[]>();
  for (const gpu of gpus) {
    const name = gpu.host ?? '';
    const group = groups.get(name);
    if (group) group.push(gpu);
    else groups.set(name, [gpu]);
  }
  const isAlone = groups.size === 1 && groups.has('');
  return [...groups].map(([name, of]) => ({ name, title: isAlone ? '' : name || 'this machine', told: tell(of), gpus: of }));
}

function tell(gpus: readonly Gpu[]): string {
  const kinds = [...new Set(gpus.map((gpu) => gpu.kind ?? '').filter((kind) => kind !== ''))];
  const away = gpus.filter((gpu) => gpu.state === 'no_worker').length;
  const busy = gpus.filter((gpu) => gpu.task !== null).length;
  const how = away === gpus.length ? 'away' : `${busy} of ${gpus.length} at work`;
  return [kinds.join(', '), how].filter((part) => part !== '').join(' · ');
}
