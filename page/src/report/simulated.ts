// The report of `simulate`: the plots and the chart of the page, in a page of its own. The table that compares the orders
// is there without it.
import type Library from 'uplot';
import styles from 'uplot/dist/uPlot.min.css?inline';
import { GanttChart } from '../gantt/chart';
import { rowsOf, type Scene } from '../gantt/scene';
import { paintOf } from '../lib/palette';
import type { Simulated } from '../whatif/answer';
import { colorOf, drawCompletions, drawStrips } from '../whatif/plots';
import { sceneOf } from '../whatif/scene';
import { showTip } from './tip';

export type Reported = Pick<Simulated, 'orders' | 'jobs' | 'cluster'>;

declare const uPlot: typeof Library;

const by = (id: string) => document.getElementById(id);

export function showSimulated(told: Reported): void {
  document.head.append(Object.assign(document.createElement('style'), { textContent: styles }));
  const { orders } = told;
  const drawn = [
    drawCompletions(uPlot, by('completions')!, orders),
    drawStrips(uPlot, by('busy')!, orders, 'busy', told.cluster.gpus),
    drawStrips(uPlot, by('waiting')!, orders, 'waiting', told.cluster.gpus),
  ];
  const chart = drawChart(told);
  let alone: number | null = null;
  orders.forEach((one, i) => {
    const entry = Object.assign(document.createElement('button'), { type: 'button' }), dot = document.createElement('i');
    dot.style.background = colorOf(i);
    dot.className = 'order-dot';
    entry.append(dot, one.order);
    entry.addEventListener('click', () => {
      alone = alone === i ? null : i;
      for (const each of drawn) each.only(alone);
      for (const other of by('orders')!.children) other.setAttribute('aria-pressed', String(other === entry && alone === i));
      if (alone !== null) chart(i);
    });
    by('orders')!.append(entry);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.forEach((each) => each.restyle()));
}

/** What each GPU did; gives back how to show another order. */
function drawChart(told: Reported): (order: number) => void {
  const { groups, grouped_by } = told.jobs, paints = groups.map((_, i) => paintOf(i));
  const best = told.orders.reduce((a, b, i) => (b.mean_jct_s < told.orders[a]!.mean_jct_s ? i : a), 0);
  const scenes = told.orders.map((one) => sceneOf({ ...told, source: { live: false } }, one, paints));
  if (!scenes.some((scene) => scene !== null)) return by('gantt')?.remove(), () => {};
  let scene: Scene | null = null;
  const chart = new GanttChart(by('chart') as HTMLCanvasElement, by('marks') as HTMLCanvasElement, { onPoint: (at) => scene && showTip(by('tip')!, at, scene) });
  const choice = by('shown') as HTMLSelectElement;
  told.orders.forEach((one, i) => choice.append(new Option(one.order, String(i))));
  const show = (order: number) => {
    choice.value = String(order);
    scene = scenes[order]!;
    if (!scene) return;
    const until = told.orders[order]!.spells.until_s;
    by('cut')!.hidden = until === undefined;
    by('view')!.style.height = `${Math.min(640, rowsOf(scene.lanes, Infinity).tall + 34)}px`;
    chart.show(scene);
    chart.look(scene.all);
  };
  choice.addEventListener('change', () => show(Number(choice.value)));
  const used = new Set(told.jobs.group);
  by('groups')!.append(...groups.flatMap((name, i) => {
    if (!used.has(i) || i >= 24) return [];
    const entry = document.createElement('span'), dot = document.createElement('i');
    dot.style.background = paints[i]!.fill;
    dot.className = 'order-dot';
    entry.append(dot, name);
    return [entry];
  }));
  by('grouped')!.textContent = grouped_by;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.restyle());
  show(best);
  return show;
}
