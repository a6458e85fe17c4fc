// The script of the self-contained reports. Before it the page around it says `const plan = {…}`, and has two canvases
// #chart and #marks in a #view, a #legend and a #tip (src/output/html_page.h); or it says `const simulated = {…}`
// (src/output/simulate_page.h).
import { isSwitchOf } from '../gantt/bars';
import { GanttChart } from '../gantt/chart';
import { rowsOf, type Scene } from '../gantt/scene';
import { elapsed } from '../lib/format';
import { type Packed, unpack } from './packed';
import { showSimulated, type Reported } from './simulated';
import { tellers } from './telling';
import { showTip } from './tip';

declare const plan: Packed | undefined;
declare const simulated: Reported | undefined;

function showPlan(packed: Packed): void {
  const plan = unpack(packed);
  const tip = document.getElementById('tip')!;
  const tell = tellers(plan);
  const paints = plan.models.map(({ fill, ink }) => ({ fill, ink }));
  const scene: Scene = {
    lanes: plan.lanes, paints, all: { from: 0, to: plan.makespan || 1 }, zero: 0, timeText: elapsed, now: null,
    word: tell.word, tip: tell.tip, needs: tell.needs,
  };
  const chart = new GanttChart(document.getElementById('chart') as HTMLCanvasElement, document.getElementById('marks') as HTMLCanvasElement, {
    onPoint: (at) => showTip(tip, at, scene),
  });
  document.getElementById('view')!.style.maxHeight = `${rowsOf(plan.lanes, Infinity).tall + 34}px`;
  chart.show(scene);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.restyle());
  legend(document.getElementById('legend')!, plan, (model) => chart.only(model));
}

/** Most used first, with its share of all running time; pressed, a model is seen alone. */
function legend(box: HTMLElement, plan: ReturnType<typeof unpack>, only: (model: number | null) => void): void {
  const spent = plan.models.map(() => 0);
  for (const { bars } of plan.lanes)
    for (let i = 0; i < bars.count; ++i) if (!isSwitchOf(bars.paint[i]!)) spent[(bars.paint[i]! >> 1) - 1]! += bars.end[i]! - bars.start[i]!;
  const all = spent.reduce((sum, seconds) => sum + seconds, 0);
  let alone: number | null = null;
  for (const m of spent.map((_, i) => i).filter((i) => spent[i]! > 0).sort((a, b) => spent[b]! - spent[a]! || a - b)) {
    const entry = document.createElement('button'), dot = document.createElement('i'), share = document.createElement('small');
    dot.style.background = plan.models[m]!.fill;
    share.textContent = `${((100 * spent[m]!) / all).toFixed(1)} %`;
    entry.append(dot, plan.models[m]!.name, share);
    entry.addEventListener('click', () => {
      only((alone = alone === m ? null : m));
      for (const other of box.children) other.setAttribute('aria-pressed', String(other === entry && alone === m));
    });
    box.append(entry);
  }
}

if (typeof plan !== 'undefined') showPlan(plan);
if (typeof simulated !== 'undefined') showSimulated(simulated);
