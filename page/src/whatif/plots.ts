// The plots of orders, drawn by uPlot: the page shows them and the report of `simulate` does. Completion times are smooth
// and share a plot; GPUs busy and jobs waiting are noisy, so each order has a strip of its own, all to one scale.
import type uPlot from 'uplot';
import { duration, elapsed } from '../lib/format';
import type { Tried } from './answer';
import { completionCurves, courseCurves, timeMarks } from './curves';

export interface Drawn {
  /** The inks of the page have changed. */
  restyle(): void;
  /** One order alone, the others faint; null: all. */
  only(order: number | null): void;
  destroy(): void;
}

/** Between marks of a plain axis of time. */
const timeSteps = [0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000, 315360000];
const font = '11px system-ui, sans-serif';
const colors = 6;

const ink = (box: Element, name: string) => getComputedStyle(box).getPropertyValue(name).trim();
/** From the seventh order on dashes tell them apart. */
export const colorOf = (order: number): string => `var(--order${order % colors})`;
const dashOf = (order: number): number[] => [[], [7, 3], [2, 3]][Math.floor(order / colors) % 3]!;

function element(kind: string, name: string, text = ''): HTMLElement {
  return Object.assign(document.createElement(kind), { className: name, textContent: text });
}

/** Builds `options` into the box, again when the inks change, and keeps it as wide as the box. */
class Frame {
  plot: uPlot;
  private readonly watcher: ResizeObserver;
  constructor(private readonly make: typeof uPlot, readonly box: HTMLElement, private readonly height: number, private readonly options: () => Omit<uPlot.Options, 'width' | 'height'>, private readonly data: uPlot.AlignedData) {
    this.plot = this.build();
    this.watcher = new ResizeObserver(() => this.plot.setSize({ width: this.width(), height }));
    this.watcher.observe(box);
  }
  private width(): number {
    return Math.max(120, this.box.clientWidth);
  }
  private build(): uPlot {
    return new this.make({ width: this.width(), height: this.height, ...this.options() }, this.data, this.box);
  }
  restyle(): void {
    this.plot.destroy();
    this.plot = this.build();
  }
  destroy(): void {
    this.watcher.disconnect();
    this.plot.destroy();
  }
}

function axis(box: Element, size: number, values: (at: number[]) => string[], more: uPlot.Axis = {}): uPlot.Axis {
  return { stroke: ink(box, '--soft'), grid: { stroke: ink(box, '--line'), width: 1 }, ticks: { show: false }, font, size, values: (_u, at) => values(at), ...more };
}

function line(box: Element, name: string, order: number, width: number, filled: boolean): uPlot.Series {
  const color = ink(box, `--order${order % colors}`);
  return { label: name, stroke: color, width, dash: filled ? [] : dashOf(order), points: { show: false }, ...(filled ? { fill: `color-mix(in srgb, ${color} 20%, transparent)` } : {}) };
}

const sharesText = (at: number[]): string[] => at.map((v) => `${Math.round(v * 100)} %`);

export function drawCompletions(make: typeof uPlot, box: HTMLElement, orders: readonly Tried[], height = 280): Drawn {
  const { x, lines } = completionCurves(orders);
  const tip = element('div', 'plot-tip');
  const said = (u: uPlot) => {
    const at = u.cursor.idx;
    tip.hidden = at == null || u.cursor.left! < 0;
    if (tip.hidden) return;
    tip.replaceChildren(element('b', '', `within ${duration(x[at!]!)}`), ...orders.map((one, i) => {
      const row = element('span', '', one.order), dot = element('i', 'order-dot'), share = element('em', '', `${((lines[i]![at!] ?? 0) * 100).toFixed(1)} %`);
      dot.style.background = colorOf(i);
      row.prepend(dot);
      row.append(share);
      return row;
    }));
    const left = u.cursor.left! + u.over.offsetLeft;
    tip.style.left = `${left + 14 + tip.offsetWidth <= box.clientWidth ? left + 14 : Math.max(0, left - 14 - tip.offsetWidth)}px`;
  };
  const frame = new Frame(make, box, height, () => ({
    cursor: { y: false, points: { size: 7 } }, legend: { show: false }, padding: [10, 14, 0, 0], focus: { alpha: 0.15 },
    scales: { x: { time: false, distr: 3 }, y: { range: [0, 1] } },
    axes: [
      axis(box, 26, (at) => at.map((s) => elapsed(s, s)), { splits: (_u, _i, from, to) => timeMarks(from, to), filter: (_u, at) => at, space: 10 }),
      axis(box, 44, sharesText),
    ],
    series: [{}, ...orders.map((one, i) => line(box, one.order, i, 2, false))],
    hooks: { setCursor: [said] },
  }), [x, ...lines] as uPlot.AlignedData);
  tip.hidden = true;
  box.append(tip);
  let alone: number | null = null;
  const only = (order: number | null) => frame.plot.setSeries((alone = order) === null ? null : alone + 1, { focus: alone !== null });
  return { restyle: () => (frame.restyle(), only(alone)), only, destroy: () => (frame.destroy(), tip.remove()) };
}

const countText = (n: number): string => (n < 10 ? n.toFixed(1).replace(/\.0$/, '') : String(Math.round(n)));

/** `gpus`: how many there are, of which busy ones are a share. */
export function drawStrips(make: typeof uPlot, box: HTMLElement, orders: readonly Tried[], what: 'busy' | 'waiting', gpus: number): Drawn {
  const { x, lines } = courseCurves(orders, what);
  const scale = what === 'busy' ? Math.max(1, gpus) : 1;
  const shown = lines.map((values) => values.map((v) => (v === null ? null : v / scale)));
  const peak = Math.max(...shown.map((values) => Math.max(...values.map((v) => v ?? 0))));
  const most = what === 'busy' ? Math.max(1, peak) : Math.max(1, Math.ceil(peak * 1.05));
  const text = (v: number) => (what === 'busy' ? `${(100 * v).toFixed(0)} %` : countText(v));
  const frames: Frame[] = [];
  const panels = orders.map((one, i) => {
    const last = i === orders.length - 1;
    const panel = element('div', 'strip'), head = element('h3', '', one.order), note = element('small', ''), place = element('div', 'strip-plot');
    const dot = element('i', 'order-dot');
    dot.style.background = colorOf(i);
    head.prepend(dot);
    head.append(note);
    panel.append(head, place);
    box.append(panel);
    const own = shown[i]!;
    const plain = what === 'busy' ? `${(100 * one.utilization).toFixed(1)} % over ${duration(one.makespan_s)}` : `up to ${countText(Math.max(...own.map((v) => v ?? 0)))}`;
    note.textContent = plain;
    frames.push(new Frame(make, place, last ? 92 : 68, () => ({
      cursor: { y: false, points: { size: 5 }, sync: { key: `orders-${what}` } }, legend: { show: false }, padding: [6, 14, last ? 0 : 6, 0],
      scales: { x: { time: false }, y: { range: [0, most] } },
      axes: [
        axis(box, last ? 26 : 0, (at) => at.map((s) => (last ? elapsed(s, at[1]! - at[0]!) : '')), { space: 70, incrs: timeSteps }),
        axis(box, 44, (at) => at.map(text), { splits: () => [0, most / 2, most] }),
      ],
      series: [{}, line(box, one.order, i, 1.4, true)],
      hooks: {
        setCursor: [(u) => {
          const at = u.cursor.left! >= 0 ? u.cursor.idx : null;
          const value = at == null ? undefined : own[at];
          note.textContent = at == null ? plain : `${value == null ? 'through' : text(value)} after ${duration(x[at])}`;
        }],
      },
    }), [x, own] as uPlot.AlignedData));
    return panel;
  });
  return {
    restyle: () => frames.forEach((frame) => frame.restyle()),
    only: (order) => panels.forEach((panel, i) => panel.classList.toggle('faint', order !== null && order !== i)),
    destroy: () => (frames.forEach((frame) => frame.destroy()), panels.forEach((panel) => panel.remove())),
  };
}
