// Which steps of its request a step needs. A run tells its workflows and its steps, not which workflow a request is of:
// that is the one with just these steps. Pure.
import type { Workflow } from './types';

type Named = { readonly request: string; readonly node: string };

/** Gives, for a step, those of `steps` that it needs. */
export function needsIn<T extends Named>(steps: readonly T[], workflows: readonly Workflow[]): (step: Named) => T[] {
  const byRequest = new Map<string, Map<string, T>>();
  for (const step of steps) {
    const own = byRequest.get(step.request);
    if (own) own.set(step.node, step);
    else byRequest.set(step.request, new Map([[step.node, step]]));
  }
  const keyOf = (names: Iterable<string>) => [...names].sort().join('\0');
  const byNames = new Map(workflows.map((workflow) => [keyOf(workflow.steps.map(({ name }) => name)), new Map(workflow.steps.map(({ name, needs }) => [name, needs]))]));
  return ({ request, node }) => {
    const own = byRequest.get(request);
    const needs = own && byNames.get(keyOf(own.keys()))?.get(node);
    return (needs ?? []).flatMap((name) => own!.get(name) ?? []);
  };
}
