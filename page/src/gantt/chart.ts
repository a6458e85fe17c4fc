// GanttChart: the chart on the screen. It owns a view, draws at most once a frame, and is moved by mouse, finger and
// keyboard. The page and the self-contained reports use the same one.
import { barAt, endOf, isSwitchOf } from './bars';
import { broughtInto, type Chosen, chosenFrom } from './choice';
import { clamp, type Frame, moved, type Range, settled, timeAt, type View, xOf, zoomed } from './geometry';
import { Fills, type Inks, paint } from './painter';
import { type Row, rowsOf, type Scene } from './scene';

export interface Pointed {
  readonly lane: number;
  readonly bar: number;
  readonly ref: number;
  readonly isSwitch: boolean;
  readonly by: 'mouse' | 'touch' | 'key';
  /** Where the pointer is on the screen. */
  readonly x: number;
  readonly y: number;
}

export interface Listener {
  /** Somebody moved it; not: it was told to show something. */
  readonly onView?: (view: Range) => void;
  readonly onPoint?: (pointed: Pointed | null) => void;
  readonly onPick?: (pointed: Pointed) => void;
}

export class GanttChart {
  private view: View = { from: 0, to: 1, scroll: 0 };
  private frame: Frame = { width: 1, height: 1, left: 56, top: 28, right: 10, tall: 0 };
  private rows: readonly Row[] = [];
  private scene: Scene | null = null;
  private fills: Fills | null = null;
  private alone: number | null = null;
  private pointed: Pointed | null = null;
  private queued = 0;
  private ratio = 1;
  private inks: Inks;
  private readonly pen: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private readonly fingers = new Map<number, { x: number; y: number; moved: boolean; wasTold: boolean }>();
  private readonly leaving = new AbortController();
  private readonly watcher: ResizeObserver;
  /** How long the last frame took to draw, in milliseconds. */
  frameMs = 0;

  constructor(
    private readonly chart: HTMLCanvasElement,
    private readonly marks: HTMLCanvasElement,
    private readonly listener: Listener,
  ) {
    this.pen = chart.getContext('2d')!;
    this.over = marks.getContext('2d')!;
    this.inks = inksOf(chart);
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(chart.parentElement!);
    this.listen();
    this.fit();
  }

  destroy(): void {
    this.leaving.abort();
    this.pointed = null;
    this.watcher.disconnect();
    cancelAnimationFrame(this.queued);
  }

  /** What to draw from now on; the view stays where it is. */
  show(scene: Scene): void {
    const before = this.scene;
    const first = before === null;
    const samePaints = this.scene?.paints === scene.paints;
    this.scene = scene;
    if (!samePaints) this.fills = null;
    this.fit();
    if (first) this.change({ ...scene.all, scroll: 0 }, false);
    else this.pointAgain(before);
  }
  look(range: Range): void {
    this.change({ ...this.view, from: range.from, to: range.to }, false);
  }
  showAll(): void {
    if (this.scene) this.change({ from: this.scene.all.from, to: this.scene.all.to, scroll: 0 }, true);
  }
  only(model: number | null): void {
    this.alone = model;
    this.redraw();
  }
  /** The inks of the page have changed. */
  restyle(): void {
    this.inks = inksOf(this.chart);
    this.fills = null;
    this.redraw();
  }
  range(): Range {
    return { from: this.view.from, to: this.view.to };
  }
  zoom(factor: number, x = (this.frame.left + this.frame.width) / 2): void {
    this.change(zoomed(this.view, this.frame, factor, x), true);
  }
  move(dx: number, dy: number): void {
    this.change(moved(this.view, this.frame, dx, dy), true);
  }

  private change(view: View, byHand: boolean): void {
    if (!this.scene) return;
    this.view = settled(view, this.frame, this.scene.all);
    this.layLanes();
    if (byHand) this.listener.onView?.(this.range());
    this.redraw();
  }

  private fit(): void {
    const box = this.chart.parentElement!;
    const width = Math.max(160, box.clientWidth);
    const height = Math.max(60, box.clientHeight);
    this.ratio = devicePixelRatio || 1;
    for (const canvas of [this.chart, this.marks]) {
      const w = Math.round(width * this.ratio), h = Math.round(height * this.ratio);
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== h) canvas.height = h;
    }
    this.frame = { ...this.frame, width, height, left: width < 600 ? 46 : 60 };
    if (this.scene) this.view = settled(this.view, this.frame, this.scene.all);
    this.layLanes();
    this.redraw();
  }

  /** What is at the top stays there when the lanes grow or shrink. */
  private layLanes(): void {
    if (!this.scene) return;
    const { all, lanes } = this.scene;
    const zoom = Math.max(1, (all.to - all.from) / (this.view.to - this.view.from));
    const { rows, tall } = rowsOf(lanes, this.frame.height - this.frame.top, zoom);
    const grown = this.frame.tall > 0 ? tall / this.frame.tall : 1;
    this.rows = rows;
    this.frame = { ...this.frame, tall };
    this.view = settled({ ...this.view, scroll: this.view.scroll * grown }, this.frame, all);
  }

  private redraw(): void {
    if (this.queued === 0) this.queued = requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.queued = 0;
    if (!this.scene) return;
    const began = performance.now();
    const canvas = { pen: this.pen, ratio: this.ratio, inks: this.inks };
    this.fills ??= new Fills(canvas, this.scene);
    paint(canvas, { scene: this.scene, view: this.view, frame: this.frame, rows: this.rows, fills: this.fills, alone: this.alone });
    this.drawMarks();
    this.frameMs = performance.now() - began;
  }

  /** The bar that is asked about, and the bars it needs with a line from each. */
  private drawMarks(): void {
    const { over, ratio, frame, view, pointed, scene } = this;
    over.setTransform(ratio, 0, 0, ratio, 0, 0);
    over.clearRect(0, 0, frame.width, frame.height);
    if (!pointed || !scene) return;
    const bars = scene.lanes[pointed.lane]?.bars;
    if (!bars || pointed.bar >= bars.count) return;
    over.save();
    over.beginPath();
    over.rect(frame.left, frame.top, frame.width, frame.height);
    over.clip();
    over.strokeStyle = this.inks.ink;
    const outline = (lane: number, start: number, end: number, line: number) => {
      const row = this.rows[lane];
      if (!row) return { x0: 0, x1: 0, y: 0 };
      const x0 = xOf(view, frame, start), x1 = Math.max(x0 + 2, xOf(view, frame, end)), y = frame.top + row.y - view.scroll;
      over.lineWidth = line;
      over.strokeRect(x0, y - 0.5, x1 - x0, row.height + 1);
      return { x0, x1, y: y + row.height / 2 };
    };
    const own = outline(pointed.lane, bars.start[pointed.bar]!, endOf(bars, pointed.bar, scene.now), 2);
    for (const need of scene.needs?.(pointed.ref) ?? []) {
      const other = outline(need.lane, need.start, need.end, 1);
      over.beginPath();
      over.moveTo(other.x1, other.y);
      over.lineTo(own.x0, own.y);
      over.stroke();
    }
    over.restore();
  }

  private find(x: number, y: number): { lane: number; bar: number } | null {
    const { frame, view, scene } = this;
    if (!scene || y < frame.top || x < frame.left) return null;
    const at = y - frame.top + view.scroll;
    const lane = this.rows.findIndex((row) => at >= row.y - 1 && at <= row.y + row.height + 1);
    if (lane < 0) return null;
    const { bars, isPlan } = scene.lanes[lane]!;
    const t = timeAt(view, frame, x), slack = ((view.to - view.from) / frame.width) * 2;
    const bar = barAt(bars, t, slack);
    const isYetToCome = !isPlan && scene.now !== null && t > scene.now + slack;
    return bar < 0 || isYetToCome ? null : { lane, bar };
  }

  private point(event: PointerEvent): void {
    const found = this.find(event.offsetX, event.offsetY);
    if (!found) return this.forget();
    this.tell(found, event.pointerType === 'mouse' ? 'mouse' : 'touch', event.clientX, event.clientY);
  }
  private tell({ lane, bar }: Chosen, by: Pointed['by'], x: number, y: number): void {
    const { bars } = this.scene!.lanes[lane]!;
    this.pointed = { lane, bar, by, x, y, ref: bars.ref[bar]!, isSwitch: isSwitchOf(bars.paint[bar]!) };
    this.listener.onPoint?.(this.pointed);
    this.drawMarks();
  }
  /** The bar asked about may have another place among those of a new scene, and more to tell. */
  private pointAgain(before: Scene): void {
    const { pointed, scene } = this, old = pointed && before.lanes[pointed.lane]?.bars;
    if (!pointed || !scene || !old || pointed.bar >= old.count) return;
    const bars = scene.lanes[pointed.lane]?.bars;
    const bar = !bars ? -1 : bars === old ? pointed.bar : barAt(bars, (old.start[pointed.bar]! + endOf(old, pointed.bar, before.now)) / 2, 0);
    if (bar < 0) this.forget();
    else this.tell({ lane: pointed.lane, bar }, pointed.by, pointed.x, pointed.y);
  }
  /** Chosen by keys, it is brought into view. */
  private choose(right: number, down: number): void {
    const { scene, pointed } = this;
    const chosen = scene && chosenFrom(scene, this.view, pointed, right, down);
    if (!scene || !chosen) return;
    const { bars } = scene.lanes[chosen.lane]!, row = this.rows[chosen.lane]!, room = this.frame.height - this.frame.top;
    const start = bars.start[chosen.bar]!, end = endOf(bars, chosen.bar, scene.now);
    const brought = broughtInto(this.view, start, end), scroll = clamp(this.view.scroll, row.y + row.height + 4 - room, row.y - 4);
    if (brought.from !== this.view.from || scroll !== this.view.scroll) this.change({ ...brought, scroll }, true);
    const box = this.chart.getBoundingClientRect();
    const x = (Math.max(xOf(this.view, this.frame, start), this.frame.left) + Math.min(xOf(this.view, this.frame, end), this.frame.width)) / 2;
    this.tell(chosen, 'key', box.left + x, box.top + this.frame.top + this.rows[chosen.lane]!.y - this.view.scroll + row.height);
  }
  private forget(): void {
    if (!this.pointed) return;
    this.pointed = null;
    this.listener.onPoint?.(null);
    this.drawMarks();
  }

  private listen(): void {
    const { chart } = this;
    const signal = this.leaving.signal;
    const on = <K extends keyof HTMLElementEventMap>(name: K, call: (event: HTMLElementEventMap[K]) => void, passive = true) =>
      chart.addEventListener(name, call, { signal, passive });
    on('wheel', (event) => this.wheel(event), false);
    on('pointerdown', (event) => {
      const before = this.pointed;
      this.point(event);
      const wasTold = event.pointerType === 'mouse' || (before !== null && before.lane === this.pointed?.lane && before.bar === this.pointed.bar);
      this.fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY, moved: false, wasTold });
      chart.setPointerCapture(event.pointerId);
    });
    on('pointermove', (event) => this.drag(event));
    on('pointerup', (event) => this.letGo(event));
    on('pointercancel', (event) => void this.fingers.delete(event.pointerId));
    // A finger leaves when it is lifted: what it asked about stays.
    on('pointerleave', (event) => event.pointerType === 'mouse' && this.forget());
    // A focused chart that is taken away blurs in the middle of that.
    on('blur', () => setTimeout(() => this.pointed?.by === 'key' && this.forget()));
    on('dblclick', () => this.showAll());
    on('keydown', (event) => this.key(event), false);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.forget();
    const lines = event.deltaMode === 1 ? 33 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.move((event.deltaX || event.deltaY) * lines, 0);
    } else if (event.altKey) {
      this.move(0, event.deltaY * lines);
    } else {
      this.zoom(1.0022 ** clamp(event.deltaY * lines, -200, 200), event.offsetX);
    }
  }

  private drag(event: PointerEvent): void {
    const old = this.fingers.get(event.pointerId);
    if (!old) return this.point(event);
    const dx = old.x - event.offsetX, dy = old.y - event.offsetY;
    if (!old.moved && Math.hypot(dx, dy) < 3) return;
    this.forget();
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (x: number, y: number) => Math.max(10, Math.hypot(x - other.x, y - other.y));
      this.zoom(apart(old.x, old.y) / apart(event.offsetX, event.offsetY), other.x);
    } else {
      this.move(dx, dy);
    }
    this.fingers.set(event.pointerId, { ...old, x: event.offsetX, y: event.offsetY, moved: true });
  }

  /** Who cannot hover is told first, and picks by pressing once more. */
  private letGo(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    this.fingers.delete(event.pointerId);
    if (finger && !finger.moved && finger.wasTold && this.pointed) this.listener.onPick?.(this.pointed);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (this.frame.width - this.frame.left) / 8;
    const chooses: Record<string, () => void> = {
      ArrowLeft: () => this.choose(-1, 0),
      ArrowRight: () => this.choose(1, 0),
      ArrowUp: () => this.choose(0, -1),
      ArrowDown: () => this.choose(0, 1),
      Enter: () => this.pointed && this.listener.onPick?.(this.pointed),
      Escape: () => this.forget(),
    };
    const chosen = event.shiftKey || event.key === 'Enter' || event.key === 'Escape' ? chooses[event.key] : undefined;
    if (chosen) return event.preventDefault(), chosen();
    const does: Record<string, () => void> = {
      '+': () => this.zoom(0.8),
      '=': () => this.zoom(0.8),
      '-': () => this.zoom(1.25),
      '0': () => this.showAll(),
      ArrowLeft: () => this.move(-step, 0),
      ArrowRight: () => this.move(step, 0),
      ArrowUp: () => this.move(0, -60),
      ArrowDown: () => this.move(0, 60),
      Home: () => this.scene && this.move((-(this.view.from - this.scene.all.from) * this.frame.width) / (this.view.to - this.view.from), 0),
      End: () => this.scene && this.move(((this.scene.all.to - this.view.to) * this.frame.width) / (this.view.to - this.view.from), 0),
    };
    if (!does[event.key]) return;
    event.preventDefault();
    this.forget();
    does[event.key]!();
  }
}

export function inksOf(element: Element): Inks {
  const style = getComputedStyle(element);
  const of = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  return {
    ink: of('--ink', '#1c1f23'),
    soft: of('--soft', '#666d77'),
    line: of('--line', '#dfe2e6'),
    lane: of('--lane', '#f4f5f7'),
    hatch: of('--hatch', '#838a94'),
    accent: of('--accent', '#4f46e5'),
    paper: of('--panel', of('--paper', '#ffffff')),
  };
}
