// Orders side by side: the columns, the best of each, and how far each order is from the one in force. Pure.
import { count, duration, percent } from '../lib/format';
import type { Tried } from './answer';

export interface Column {
  readonly name: string;
  readonly says: string;
  readonly better: 'less' | 'more' | 'neither';
  readonly value: (one: Tried) => number;
  readonly text: (one: Tried) => string;
}

const time = (name: string, says: string, value: (one: Tried) => number): Column => ({ name, says, better: 'less', value, text: (one) => duration(value(one)) });

const always: Column[] = [
  time('Mean wait', 'From submission to the first start', (one) => one.mean_wait_s),
  time('Mean completion', 'From submission to the end', (one) => one.mean_jct_s),
  time('p50', 'Half of the jobs are done within this time', (one) => one.p50_jct_s),
  time('p99', '99 of 100 jobs are done within this time', (one) => one.p99_jct_s),
  time('Makespan', 'From the first submission to the last end', (one) => one.makespan_s),
  { name: 'Utilisation', says: 'GPU-time of the jobs over that of the cluster within the makespan', better: 'more', value: (one) => one.utilization, text: (one) => percent(one.utilization, 1) },
  { name: 'Preemptions', says: 'How often a running job was put aside', better: 'neither', value: (one) => one.preemptions, text: (one) => count(one.preemptions) },
  { name: 'Fairness', says: "Jain's index over the users' mean slowdowns: 1 is even", better: 'more', value: (one) => one.fairness, text: (one) => one.fairness.toFixed(2) },
];
const late: Column = {
  name: 'Late', says: 'Jobs that ended after their deadline, of those that have one', better: 'less',
  value: (one) => one.late, text: (one) => `${count(one.late)} of ${count(one.with_deadline)}`,
};

export function columnsOf(orders: readonly Tried[]): Column[] {
  return orders.some((one) => one.with_deadline > 0) ? [...always, late] : always;
}

/** What the best of a column reads; empty where all read the same, for then none is better. */
export function bestText(column: Column, orders: readonly Tried[]): string {
  if (column.better === 'neither' || orders.length < 2) return '';
  const sorted = orders.slice().sort((a, b) => column.value(a) - column.value(b));
  const [low, high] = [column.text(sorted[0]!), column.text(sorted.at(-1)!)];
  return low === high ? '' : column.better === 'less' ? low : high;
}

/** Against the order in force: "−32 %", and whether that is better. */
export function difference(column: Column, one: Tried, base: Tried | undefined): { text: string; better: boolean | null } | null {
  if (!base || base === one || column.better === 'neither') return null;
  const own = column.value(one), its = column.value(base);
  if (column.text(one) === column.text(base) || its === 0) return null;
  const share = own / its - 1;
  const size = Math.abs(share) >= 9.995 ? `×${(share + 1).toFixed(0)}` : `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
  return { text: size === '−0 %' || size === '+0 %' ? '≈' : size, better: share < 0 === (column.better === 'less') };
}

export const bestOf = (orders: readonly Tried[]): Tried => orders.reduce((a, b) => (b.mean_jct_s < a.mean_jct_s ? b : a));

/** All of it in a sentence. */
export function summary(orders: readonly Tried[]): string {
  const best = bestOf(orders), base = orders.find((one) => one.in_force);
  if (!base || base === best || base.mean_jct_s < best.mean_jct_s * 1.005)
    return `${best.order}${best === base ? ', which is in force,' : ''} completes jobs in ${duration(best.mean_jct_s)} on average; none of these is faster.`;
  return `${best.order} would complete jobs in ${duration(best.mean_jct_s)} on average, ${percent(1 - best.mean_jct_s / base.mean_jct_s)} sooner than ${base.order}, which is in force.`;
}
