// The steps of a run, gathered over all its requests: how many ended, how long they take. Pure.
import type { Job, Workflow } from './types';

export interface StepSum {
  readonly name: string;
  readonly model: string;
  readonly needs: readonly string[];
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  /** Mean, as it happened or else as planned. */
  readonly seconds: number;
}

export interface Graph {
  readonly name: string;
  readonly steps: readonly StepSum[];
  /** Whether the service told which step needs which. */
  readonly hasNeeds: boolean;
}

interface Sum {
  name: string;
  model: string;
  total: number;
  done: number;
  failed: number;
  actual: number;
  actuals: number;
  planned: number;
  plans: number;
  first: number;
}

function sumsOf(jobs: readonly Job[]): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const job of jobs) {
    const key = `${job.node}\0${job.model}`;
    const sum = sums.get(key) ?? { name: job.node, model: job.model, total: 0, done: 0, failed: 0, actual: 0, actuals: 0, planned: 0, plans: 0, first: Infinity };
    sums.set(key, sum);
    ++sum.total;
    if (job.actual) {
      ++sum[job.actual.state === 'succeeded' ? 'done' : 'failed'];
      sum.actual += job.actual.end_s - job.actual.start_s - job.actual.load_s;
      ++sum.actuals;
    }
    if (job.plan) {
      sum.planned += job.plan.end_s - job.plan.start_s;
      ++sum.plans;
      sum.first = Math.min(sum.first, job.plan.start_s);
    }
  }
  return sums;
}

const meanOf = (sum: Sum | undefined): number => (!sum ? 0 : sum.actuals > 0 ? sum.actual / sum.actuals : sum.plans > 0 ? sum.planned / sum.plans : 0);

/** Where the service tells its workflows, one graph each; otherwise one of all steps, in the order of the plan. */
export function graphsOf(jobs: readonly Job[], workflows: readonly Workflow[] | undefined): Graph[] {
  const sums = sumsOf(jobs);
  if (workflows)
    return workflows.map(({ name, requests, steps }) => ({
      name,
      hasNeeds: true,
      steps: steps.map((step) => {
        const sum = sums.get(`${step.name}\0${step.model}`);
        const counts = step.counts;
        return {
          name: step.name, model: step.model, needs: step.needs, total: requests,
          done: counts?.succeeded ?? sum?.done ?? 0, failed: counts?.failed ?? sum?.failed ?? 0, running: counts?.running ?? 0,
          seconds: meanOf(sum) || step.seconds,
        };
      }),
    }));
  const all = [...sums.values()].sort((a, b) => a.first - b.first || (a.name < b.name ? -1 : 1));
  return all.length === 0 ? [] : [{
    name: '',
    hasNeeds: false,
    steps: all.map((sum) => ({ name: sum.name, model: sum.model, needs: [], total: sum.total, done: sum.done, failed: sum.failed, running: 0, seconds: meanOf(sum) })),
  }];
}

export type StepState = 'waiting' | 'running' | 'succeeded' | 'failed';

export function stateOf(step: StepSum): StepState {
  if (step.failed > 0) return 'failed';
  if (step.done === step.total && step.total > 0) return 'succeeded';
  return step.done > 0 || step.running > 0 ? 'running' : 'waiting';
}
