// Painter: puts a scene on a canvas. Each frame touches only the lanes and bars in view.
import { type Bars, endOf, firstFrom, isSwitchOf, modelOf } from './bars';
import { clamp, type Frame, marksOf, type View, xOf } from './geometry';
import { eachRun } from './merge';
import type { Row, Scene } from './scene';

export interface Inks {
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly lane: string;
  readonly hatch: string;
  readonly accent: string;
  readonly paper: string;
}

export interface Canvas {
  readonly pen: CanvasRenderingContext2D;
  readonly ratio: number;
  readonly inks: Inks;
}

export const font = '11px system-ui, sans-serif';

/** Stripes over a model's own colour: the eye sees whose switch it is. */
export function hatchOf(pen: CanvasRenderingContext2D, ratio: number, fill: string, paper: string): CanvasPattern | string {
  const size = Math.max(4, Math.round(6 * ratio));
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const c = tile.getContext('2d')!;
  c.fillStyle = paper;
  c.fillRect(0, 0, size, size);
  c.globalAlpha = 0.25;
  c.fillStyle = fill;
  c.fillRect(0, 0, size, size);
  c.globalAlpha = 1;
  c.strokeStyle = fill;
  c.lineWidth = 1.7 * ratio;
  for (const shift of [-size, 0, size]) {
    c.beginPath();
    c.moveTo(shift - 1, size + 1);
    c.lineTo(shift + size + 1, -1);
    c.stroke();
  }
  return pen.createPattern(tile, 'repeat') ?? fill;
}

export class Fills {
  private readonly solid: string[];
  private readonly striped: (CanvasPattern | string)[];

  constructor(canvas: Canvas, scene: Scene) {
    const paints = [{ fill: canvas.inks.soft }, ...scene.paints];
    this.solid = paints.map((paint) => paint.fill);
    this.striped = this.solid.map((fill) => hatchOf(canvas.pen, canvas.ratio, fill, canvas.inks.paper));
  }
  of(paint: number): CanvasPattern | string {
    const index = modelOf(paint) + 1;
    return (isSwitchOf(paint) ? this.striped : this.solid)[index] ?? this.solid[0]!;
  }
}

export interface Picture {
  readonly scene: Scene;
  readonly view: View;
  readonly frame: Frame;
  readonly rows: readonly Row[];
  readonly fills: Fills;
  /** The model that is looked at alone; null: all. */
  readonly alone: number | null;
}

export function paint(canvas: Canvas, picture: Picture): void {
  const { pen, ratio, inks } = canvas;
  const { frame, scene, view, rows } = picture;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, frame.width, frame.height);
  pen.font = font;
  pen.save();
  pen.beginPath();
  pen.rect(0, frame.top, frame.width, frame.height - frame.top);
  pen.clip();
  paintGround(canvas, picture);
  for (let i = 0; i < rows.length; ++i) {
    const y = frame.top + rows[i]!.y - view.scroll;
    if (y + rows[i]!.height < frame.top || y > frame.height) continue;
    paintLane(canvas, picture, i, y);
    if (rows[i]!.height >= 15) paintWords(canvas, picture, scene.lanes[i]!.bars, y, rows[i]!.height);
  }
  paintNames(canvas, picture);
  pen.restore();
  paintTimes(canvas, picture);
  if (scene.now !== null) paintNow(canvas, picture, scene.now);
  pen.fillStyle = inks.line;
  pen.fillRect(0, frame.top - 1, frame.width, 1);
}

function paintGround({ pen, inks }: Canvas, { frame, view, rows, scene }: Picture): void {
  const a = clamp(xOf(view, frame, scene.all.from), frame.left, frame.width);
  const b = clamp(xOf(view, frame, scene.all.to), frame.left, frame.width);
  pen.fillStyle = inks.lane;
  for (const row of rows) pen.fillRect(a, frame.top + row.y - view.scroll, b - a, row.height);
  pen.fillStyle = inks.line;
  for (const t of marksOf(view, frame, scene.zero).times) pen.fillRect(Math.round(xOf(view, frame, t)), frame.top, 1, frame.height);
}

function paintLane({ pen, ratio }: Canvas, { scene, view, frame, rows, fills, alone }: Picture, lane: number, y: number): void {
  const top = Math.round(y * ratio);
  const height = Math.max(1, Math.round((y + rows[lane]!.height) * ratio) - top);
  const scale = ((frame.width - frame.left - frame.right) / (view.to - view.from)) * ratio;
  const pixels = { scale, zero: frame.left * ratio - view.from * scale, edge: Math.round(frame.left * ratio), right: Math.round(frame.width * ratio), air: Math.max(1, Math.round(ratio)), now: scene.now };
  const isPlan = scene.lanes[lane]!.isPlan;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  eachRun(scene.lanes[lane]!.bars, view.from, view.to, pixels, (what, x, width) => {
    pen.globalAlpha = (alone === null || alone === modelOf(what) ? 1 : 0.12) * (isPlan ? 0.72 : 1);
    pen.fillStyle = fills.of(what);
    pen.fillRect(x, top, width, height);
  });
  pen.globalAlpha = 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}

/** As much of a word as there is room for. */
function fitted(pen: CanvasRenderingContext2D, word: string, room: number): string {
  const width = pen.measureText(word).width;
  if (width <= room) return word;
  const most = Math.floor((word.length * room) / width) - 2;
  return most < 2 ? '' : `${word.slice(0, most)}…`;
}

function paintWords({ pen, inks }: Canvas, { scene, view, frame, alone }: Picture, bars: Bars, y: number, height: number): void {
  pen.textAlign = 'left';
  pen.textBaseline = 'middle';
  for (let i = firstFrom(bars, view.from); i < bars.count && bars.start[i]! <= view.to; ++i) {
    const a = Math.max(xOf(view, frame, bars.start[i]!), frame.left);
    const b = Math.min(xOf(view, frame, endOf(bars, i, scene.now)), frame.width);
    const model = modelOf(bars.paint[i]!);
    if (b - a < 46 || isSwitchOf(bars.paint[i]!) || (alone !== null && alone !== model)) continue;
    pen.fillStyle = scene.paints[model]?.ink ?? inks.paper;
    pen.save();
    pen.beginPath();
    pen.rect(a, y, b - a - 6, height);
    pen.clip();
    pen.fillText(fitted(pen, scene.word(bars.ref[i]!), b - a - 12), a + 6, y + height / 2 + 0.5);
    pen.restore();
  }
  pen.textBaseline = 'alphabetic';
}

function paintNames({ pen, inks }: Canvas, { scene, view, frame, rows }: Picture): void {
  pen.fillStyle = inks.paper;
  pen.fillRect(0, frame.top, frame.left, frame.height);
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  let last = -Infinity;
  for (let i = 0; i < rows.length; ++i) {
    const { isPlan, name } = scene.lanes[i]!;
    const middle = frame.top + rows[i]!.y + rows[i]!.height / 2 - view.scroll;
    if (middle - last < (isPlan ? 8 : 12) || (isPlan && rows[i]!.height < 9)) continue;
    pen.fillStyle = isPlan ? inks.soft : inks.ink;
    pen.font = isPlan ? '9.5px system-ui, sans-serif' : font;
    pen.fillText(name, frame.left - 9, middle + 0.5);
    if (!isPlan) last = middle;
  }
  pen.font = font;
  pen.textBaseline = 'alphabetic';
}

function paintTimes({ pen, inks }: Canvas, { scene, view, frame }: Picture): void {
  const marks = marksOf(view, frame, scene.zero);
  pen.fillStyle = inks.soft;
  pen.textAlign = 'center';
  for (const t of marks.times) {
    const x = xOf(view, frame, t);
    if (x >= frame.left - 1 && x <= frame.width - 26) pen.fillText(scene.timeText(t, marks.step), Math.max(x, frame.left + 20), frame.top - 9);
  }
}

function paintNow({ pen, inks }: Canvas, { view, frame }: Picture, now: number): void {
  const x = Math.round(xOf(view, frame, now));
  if (x < frame.left || x > frame.width) return;
  pen.fillStyle = inks.accent;
  pen.fillRect(x - 1, frame.top - 4, 2, frame.height);
  pen.beginPath();
  pen.moveTo(x - 5, frame.top - 8);
  pen.lineTo(x + 5, frame.top - 8);
  pen.lineTo(x, frame.top - 1);
  pen.fill();
}
