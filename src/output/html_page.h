// The parts of the HTML chart that do not change from plan to plan. No network, no library, no storage.
#pragma once

namespace sy::output {

inline constexpr const char* kPageHead = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard plan</title>
<style>
:root { --ink: #1c1f23; --paper: #fff; --line: #e3e5e8; --soft: #69707a; --tip: #fff; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #16181b; --line: #2c3036; --soft: #9aa1ab; --tip: #23262b; } }
body { margin: 0; padding: 16px 20px; font: 14px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 16px; margin: 0 0 8px; }
p { margin: 0 0 10px; color: var(--soft); }
canvas { width: 100%; display: block; border: 1px solid var(--line); border-radius: 6px; cursor: grab; touch-action: none; }
#legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0; }
#legend i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; }
#tip { position: fixed; pointer-events: none; display: none; background: var(--tip); border: 1px solid var(--line);
       border-radius: 6px; padding: 6px 10px; box-shadow: 0 2px 10px rgb(0 0 0 / .2); max-width: 380px; }
#tip b { display: block; }
</style></head><body>
)html";

inline constexpr const char* kPageBody = R"html(
<p>Scroll to zoom, drag to move, double-click to see all. Hatched: loading a model.</p>
<canvas id="chart" tabindex="0" aria-label="Gantt chart: one lane for each GPU"></canvas><div id="legend"></div><div id="tip"></div>
<script>
"use strict";
)html";

inline constexpr const char* kPageScript = R"html(
const canvas = document.getElementById("chart"), tip = document.getElementById("tip"), draw2d = canvas.getContext("2d");
const left = 64, top_ = 24, lane = Math.max(5, Math.min(26, Math.floor(640 / plan.gpus.length)));
let from = 0, to = plan.makespan || 1, width = 0, queued = false;
const height = top_ + lane * plan.gpus.length + 6;
const lanes = plan.gpus.map(() => []);
for (const row of plan.rows) for (let i = 0; i < row[1]; ++i) lanes[row[0] + i].push(row);
const ends = new Map();
for (const row of plan.rows) ends.set(row[7] + "/" + row[8], row);

const used = new Set(plan.rows.map(row => row[2]));
for (const m of [...used].sort((a, b) => a - b)) {
  const entry = document.createElement("span"), dot = document.createElement("i");
  dot.style.background = plan.models[m].color;
  entry.append(dot, plan.models[m].name);
  document.getElementById("legend").append(entry);
}

const x = t => left + (t - from) / (to - from) * (width - left - 8);
const time = px => from + (px - left) / (width - left - 8) * (to - from);

function hatch() {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const c = tile.getContext("2d");
  c.fillStyle = "#c9ccd1"; c.fillRect(0, 0, 6, 6);
  c.strokeStyle = "#7d838c"; c.lineWidth = 1.6;
  c.beginPath(); c.moveTo(-1, 7); c.lineTo(7, -1); c.stroke();
  return draw2d.createPattern(tile, "repeat");
}

function firstVisible(rows) {  // rows of a lane are in order of time
  let low = 0, high = rows.length;
  while (low < high) { const middle = (low + high) >> 1; if (rows[middle][4] < from) low = middle + 1; else high = middle; }
  return low;
}

function paint() {
  queued = false;
  const ratio = devicePixelRatio || 1;
  width = canvas.clientWidth;
  canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
  draw2d.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(document.body), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  draw2d.clearRect(0, 0, width, height);
  draw2d.font = "11px system-ui, sans-serif";
  const rough = (to - from) / 8, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(k => rough <= k * power) * power;
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    draw2d.fillStyle = line; draw2d.fillRect(x(t), top_ - 4, 1, height);
    draw2d.fillStyle = soft; draw2d.textAlign = "center"; draw2d.fillText(+t.toPrecision(10) + " s", x(t), 14);
  }
  draw2d.save();
  draw2d.beginPath(); draw2d.rect(left, top_, width - left, height); draw2d.clip();
  const pattern = hatch();
  lanes.forEach((rows, gpu) => {
    const y = top_ + gpu * lane;
    let painted = -1;
    for (let i = firstVisible(rows); i < rows.length; ++i) {
      const row = rows[i];
      if ((row[5] ?? row[3]) > to) break;
      if (row[5] !== null) { draw2d.fillStyle = pattern; draw2d.fillRect(x(row[5]), y + 1, Math.max(x(row[6]) - x(row[5]), 0.5), lane - 2); }
      const a = x(row[3]), b = x(row[4]);
      if (b < painted + 0.3) continue;  // narrower than a pixel and already covered
      draw2d.fillStyle = plan.models[row[2]].color;
      draw2d.fillRect(a, y + 1, Math.max(b - a - (b - a > 3 ? 0.7 : 0), 0.4), lane - 2);
      painted = b;
    }
  });
  draw2d.restore();
  draw2d.textAlign = "right"; draw2d.fillStyle = soft;
  plan.gpus.forEach((kind, gpu) => {
    if (lane >= 11 || gpu % 8 === 0) draw2d.fillText("gpu" + gpu, left - 8, top_ + gpu * lane + lane / 2 + 4);
  });
}
const repaint = () => { if (!queued) { queued = true; requestAnimationFrame(paint); } };

function zoom(factor, around) {
  const span = Math.min(Math.max((to - from) * factor, 1e-6), plan.makespan || 1);
  const share = (around - from) / (to - from);
  from = Math.max(0, Math.min(around - share * span, (plan.makespan || 1) - span));
  to = from + span;
  repaint();
}
function move(seconds) { const span = to - from; from = Math.max(0, Math.min(from + seconds, (plan.makespan || 1) - span)); to = from + span; repaint(); }

function why(row) {  // what it had to wait for: its needs, or the GPU
  const needs = plan.workflows[plan.requests[row[7]][1]][row[8]][1].map(n => ends.get(row[7] + "/" + n));
  const last = needs.reduce((a, b) => !a || b[4] > a[4] ? b : a, null);
  if (row[5] !== null) return "its GPU loads " + plan.models[row[2]].name + " first";
  if (last && Math.abs(last[4] - row[3]) < 1e-9) return "starts when " + plan.workflows[plan.requests[row[7]][1]][last[8]][0] + " is done; the model is loaded";
  return "the model is loaded; it takes its turn";
}

canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : 0.8, time(e.offsetX)); }, { passive: false });
canvas.addEventListener("dblclick", () => { from = 0; to = plan.makespan || 1; repaint(); });
canvas.addEventListener("keydown", e => {
  const span = to - from;
  if (e.key === "+") zoom(0.8, from + span / 2); else if (e.key === "-") zoom(1.25, from + span / 2);
  else if (e.key === "ArrowLeft") move(-span / 10); else if (e.key === "ArrowRight") move(span / 10);
});
let grabbed = null;
canvas.addEventListener("pointerdown", e => { grabbed = e.offsetX; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => { grabbed = null; });
canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
canvas.addEventListener("pointermove", e => {
  if (grabbed !== null) { move(time(grabbed) - time(e.offsetX)); grabbed = e.offsetX; return; }
  const gpu = Math.floor((e.offsetY - top_) / lane), t = time(e.offsetX), rows = lanes[gpu];
  const row = rows && t >= 0 ? rows.slice(0, rows.length).find(r => (r[5] ?? r[3]) <= t && t <= r[4]) : null;
  if (!row) { tip.style.display = "none"; return; }
  const request = plan.requests[row[7]], node = plan.workflows[request[1]][row[8]][0], loading = row[5] !== null && t <= row[6];
  tip.replaceChildren();
  const head = document.createElement("b");
  head.textContent = (loading ? "loading " : "") + plan.models[row[2]].name;
  tip.append(head, `${request[0]} / ${node}`, document.createElement("br"),
             `${row[3].toFixed(3)} – ${row[4].toFixed(3)} s on gpu${row[0]}${row[1] > 1 ? "–" + (row[0] + row[1] - 1) : ""} (${plan.gpus[row[0]]})`,
             document.createElement("br"), why(row));
  tip.style.display = "block";
  tip.style.left = Math.min(e.clientX + 14, innerWidth - 400) + "px";
  tip.style.top = e.clientY + 14 + "px";
});
addEventListener("resize", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
paint();
</script></body></html>
)html";

}  // namespace sy::output
