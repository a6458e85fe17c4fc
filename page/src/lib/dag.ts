// The steps of a workflow as a graph: which chain of needs takes longest. Pure.

export interface Step {
  readonly name: string;
  readonly model: string;
  readonly seconds: number;
  readonly needs: readonly string[];
}

/** The longest chain by seconds, first to last; ties go to the step named first. Needs that do not exist are ignored,
    and what lies on a circle is left out. */
export function criticalPath(steps: readonly Step[]): string[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const best = new Map<string, { total: number; before: string | null }>();
  const open = new Set<string>();
  const total = (step: Step): number => {
    const known = best.get(step.name);
    if (known) return known.total;
    if (open.has(step.name)) return -Infinity;
    open.add(step.name);
    let longest = 0;
    let before: string | null = null;
    for (const need of step.needs) {
      const needed = byName.get(need);
      const t = needed ? total(needed) : -Infinity;
      if (t > longest) [longest, before] = [t, need];
    }
    open.delete(step.name);
    best.set(step.name, { total: longest + step.seconds, before });
    return longest + step.seconds;
  };
  let last: string | null = null;
  let most = -Infinity;
  for (const step of steps) {
    const t = total(step);
    if (t > most) [most, last] = [t, step.name];
  }
  const path: string[] = [];
  for (let at = last; at !== null && !path.includes(at); at = best.get(at)?.before ?? null) path.unshift(at);
  return path;
}
