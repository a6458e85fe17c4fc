// The script of the self-contained reports. The page around it says `const plan = {…}` before it, and has two canvases
// #chart and #marks in a #view, a #legend and a #tip; src/output/html_page.h.
import { isSwitchOf } from '../gantt/bars';
import { GanttChart, type Pointed } from '../gantt/chart';
import { rowsOf, type Scene } from '../gantt/scene';
import { elapsed } from '../lib/format';
import { type Packed, unpack } from './packed';
import { tellers } from './telling';

declare const plan: Packed;

function start(packed: Packed): void {
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

function showTip(box: HTMLElement, at: Pointed | null, scene: Scene): void {
  if (!at) return void (box.style.display = 'none');
  const { title, lines, why } = scene.tip(at.ref, at.lane, at.isSwitch);
  const line = (tag: string, text: string, kind: string) => Object.assign(document.createElement(tag), { textContent: text, className: kind });
  box.replaceChildren(line('b', title, ''), ...lines.map((text) => line('span', text, '')), ...why.map((text) => line('span', text, 'why')));
  box.style.display = 'block';
  const fit = (px: number, size: number, room: number) => (px + 14 + size <= room - 6 ? px + 14 : Math.max(6, px - 14 - size));
  box.style.left = `${fit(at.x, box.offsetWidth, innerWidth)}px`;
  box.style.top = `${fit(at.y, box.offsetHeight, innerHeight)}px`;
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

start(plan);
