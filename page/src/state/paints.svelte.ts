// The colour of each model, the same on every view: by its place among all names the service knows.
import { grey, type Paint, paintOf } from '../lib/palette';
import { live } from './live.svelte';

const names = $derived.by(() => live.models.map((model) => model.name).sort());
const seen: string[] = [];

export function modelNames(): readonly string[] {
  for (const name of names) if (!seen.includes(name)) seen.push(name);
  return seen;
}

export function indexOfModel(name: string | null | undefined): number {
  if (!name || names.length === 0) return -1;
  const known = modelNames().indexOf(name);
  return known >= 0 ? known : seen.push(name) - 1;
}

export function paintOfModel(name: string | null | undefined): Paint {
  const index = indexOfModel(name);
  return index < 0 ? grey : paintOf(index);
}
