// The script of the HTML chart: first the plan as arrays, then the chart. Each frame touches only what can be seen, and
// bars that share a pixel become one.
#pragma once

namespace sy::output {

inline constexpr const char* kScriptData = R"html(
// ---- the plan: times by job, and for each GPU its jobs in order of time
const jobCount = plan.requests.reduce((sum, [workflow, count]) => sum + count * plan.workflows[workflow].length, 0);
const start = new Float64Array(jobCount), end = new Float64Array(jobCount), firstGpu = new Int32Array(jobCount);
const load = new Float64Array(jobCount).fill(-1), loadEnd = new Float64Array(jobCount);
const modelOf = new Uint32Array(jobCount), held = plan.gpus.map(gpu => gpu[2]);
const modelTime = new Float64Array(plan.models.length);

const groups = [];  // requests that follow each other in one workflow: {first job, steps, name, number}
{
  let job = 0;
  for (const [workflow, count, name, number] of plan.requests) {
    const steps = plan.workflows[workflow];
    groups.push({ first: job, steps, name, number });
    for (let i = 0; i < count; ++i) for (const step of steps) modelOf[job++] = step[1];
  }
}

/** How many of the first `count` numbers satisfy `isBefore`, which must hold for a beginning of them. */
function countWhile(count, isBefore) {
  let low = 0, high = count;
  while (low < high) { const middle = (low + high) >> 1; if (isBefore(middle)) low = middle + 1; else high = middle; }
  return low;
}

function nodeOf(job) {
  const group = groups[countWhile(groups.length, i => groups[i].first <= job) - 1];
  const inside = job - group.first, size = group.steps.length, request = Math.floor(inside / size);
  const step = group.steps[inside % size], first = group.first + request * size;
  return { request: group.name + (group.number === null ? "" : group.number + request), name: step[0],
           needs: step[2].map(need => first + need) };
}

const lanes = plan.gpus.map(() => []);
{
  const text = atob(plan.times);
  plan.times = null;
  let at = 0;
  const number = () => {
    let value = 0, place = 1;
    for (;;) {
      const byte = text.charCodeAt(at++);
      value += (byte & 127) * place;
      if (byte < 128) return value;
      place *= 128;
    }
  };
  const tangled = new Set();
  let job = 0;
  for (let gpu = 0; gpu < lanes.length; ++gpu) {
    let ticks = 0;
    for (let left = number(); left > 0; --left) {
      const folded = number(), gap = number();
      job += folded % 2 ? -(folded + 1) / 2 : folded / 2;
      ticks += Math.floor(gap / 2);
      if (gap % 2) {
        load[job] = ticks * plan.tick;
        ticks += number();
        loadEnd[job] = ticks * plan.tick;
        ticks += number();
      }
      start[job] = ticks * plan.tick;
      ticks += number();
      end[job] = ticks * plan.tick;
      firstGpu[job] = gpu;
      const wide = plan.models[modelOf[job]].gpus;
      modelTime[modelOf[job]] += (end[job] - start[job]) * wide;
      for (let i = 0; i < wide; ++i) lanes[gpu + i].push(job);
      for (let i = 1; i < wide; ++i) tangled.add(gpu + i);
    }
  }
  for (const gpu of tangled) lanes[gpu].sort((a, b) => start[a] - start[b] || end[a] - end[b]);
}
const taken = job => load[job] >= 0 ? load[job] : start[job];

// ---- words
function time(seconds, digits = 3) {
  const sign = seconds < 0 ? "-" : "", unit = 10 ** digits, all = Math.round(Math.abs(seconds) * unit) / unit;
  const parts = [[Math.floor(all / 86400), "d"], [Math.floor(all / 3600) % 24, "h"], [Math.floor(all / 60) % 60, "m"]];
  const words = parts.filter(([count]) => count > 0).map(([count, name]) => count + name);
  const rest = +(all % 60).toFixed(digits);
  if (rest > 0 || words.length === 0) words.push(rest + "s");
  return sign + words.join(" ");
}
const gpuName = (gpu, count = 1) => plan.gpus[gpu][3] ?? "gpu" + gpu + (count > 1 ? "–" + (gpu + count - 1) : "");

/** The job before `job` on `gpu`, or -1. */
function before(job, gpu) {
  const rows = lanes[gpu];
  let i = countWhile(rows.length, k => start[rows[k]] < start[job] || (start[rows[k]] === start[job] && end[rows[k]] < end[job]));
  while (i < rows.length && rows[i] !== job) ++i;
  return i > 0 ? rows[i - 1] : -1;
}

/** Two sentences: how the model came to be there, and what the node waited for. */
function why(job, gpu) {
  const near = (a, b) => Math.abs(a - b) < plan.tick / 2, wide = plan.models[modelOf[job]].gpus;
  const last = before(job, gpu), from = last >= 0 ? modelOf[last] : held[gpu];
  const lasted = time(loadEnd[job] - load[job]);
  const model = load[job] < 0 ? "model was held"
    : from === null ? `loaded onto an empty GPU, ${lasted}`
    : from === modelOf[job] ? `loaded again for this group of GPUs, ${lasted}`
    : `switched from ${plan.models[from].name}, ${lasted}`;
  const needs = nodeOf(job).needs, latest = needs.reduce((a, b) => a < 0 || end[b] > end[a] ? b : a, -1);
  const ready = latest < 0 ? 0 : end[latest];
  let free = 0;
  for (let g = firstGpu[job]; g < firstGpu[job] + wide; ++g) { const b = before(job, g); if (b >= 0) free = Math.max(free, end[b]); }
  const place = wide > 1 ? "GPUs" : "GPU";
  if (latest >= 0 && (near(ready, start[job]) || (near(ready, taken(job)) && ready > free)))
    return [model, `waited for ${nodeOf(latest).name} on ${gpuName(firstGpu[latest], plan.models[modelOf[latest]].gpus)}`];
  if (load[job] >= 0 && near(start[job], loadEnd[job]) && near(load[job], Math.max(free, 0)))
    return [model, ready < start[job] ? `ready at ${time(ready)}, waited for its ${place} and the switch` : "starts when loaded"];
  if (near(start[job], 0)) return [model, "starts at once"];
  if (near(free, start[job])) return [model, `ready at ${time(ready)}, waited ${time(start[job] - ready)} for its ${place}`];
  return [model, `could start at ${time(Math.max(free, ready))}; the plan has it start later`];
}
)html";

inline constexpr const char* kScriptChart = R"html(
// ---- the view: seconds `from` to `to`, lanes from `scroll` pixels on
const chart = document.getElementById("chart"), marks = document.getElementById("marks"), tip = document.getElementById("tip");
const pen = chart.getContext("2d"), marker = marks.getContext("2d");
const whole = plan.makespan || 1, tallest = 40, top_ = 26;
let from = 0, to = whole, scroll = 0, width = 1, height = 1, ratio = 1, left = 64, queued = false, alone = null, shown = null;

const x = t => left + (t - from) / (to - from) * (width - left - 10);
const timeAt = px => from + (px - left) / (width - left - 10) * (to - from);
/** All lanes fit where nothing is zoomed; they grow with the zoom until they are easy to read. */
const laneHeight = () => Math.min(tallest, (height - top_ - 4) / plan.gpus.length * (whole / (to - from)));
const laneAt = px => Math.floor((px - top_ + scroll) / laneHeight());
const clamp = (value, low, high) => Math.max(low, Math.min(value, high));

function settle() {
  const span = clamp(to - from, Math.min(plan.tick, whole), whole);
  from = clamp(from, 0, whole - span);
  to = from + span;
  scroll = clamp(scroll, 0, Math.max(0, laneHeight() * plan.gpus.length - (height - top_ - 4)));
  if (!queued) { queued = true; requestAnimationFrame(paint); }
}
function zoom(factor, px, py) {
  const around = timeAt(px), lane = (py - top_ + scroll) / laneHeight();
  const span = clamp((to - from) * factor, Math.min(plan.tick, whole), whole), share = (around - from) / (to - from);
  from = around - share * span;
  to = from + span;
  scroll = lane * laneHeight() - (py - top_);
  settle();
}
function move(px, py) {
  const seconds = px / (width - left - 10) * (to - from);
  from += seconds; to += seconds; scroll += py;
  const over = Math.max(0, to - whole) + Math.min(0, from);
  from -= over; to -= over;
  settle();
}

function hatch(styles) {
  const tile = document.createElement("canvas"), size = Math.round(6 * ratio);
  tile.width = tile.height = size;
  const c = tile.getContext("2d");
  c.fillStyle = styles.getPropertyValue("--hatch"); c.fillRect(0, 0, size, size);
  c.strokeStyle = styles.getPropertyValue("--hatch-line"); c.lineWidth = 1.4 * ratio;
  for (const shift of [-size, 0, size]) { c.beginPath(); c.moveTo(shift - 1, size + 1); c.lineTo(shift + size + 1, -1); c.stroke(); }
  return pen.createPattern(tile, "repeat");
}

function markDistance(rough) {
  if (rough < 1) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].find(k => rough <= k * power * 1.0001) * power;
  }
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  return steps.find(step => rough <= step) ?? Math.ceil(rough / 86400) * 86400;
}

function eachMark(paintMark) {
  const step = markDistance((to - from) / clamp((width - left) / 90, 3, 12));
  const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
  for (let k = Math.ceil(from / step); k * step <= to; ++k) paintMark(k * step, digits);
}
function paintLines(styles) {
  pen.fillStyle = styles.getPropertyValue("--line");
  eachMark(t => pen.fillRect(Math.round(x(t)), top_, 1, height));
}
function paintTimes(styles) {
  pen.fillStyle = styles.getPropertyValue("--soft");
  pen.textAlign = "center";
  eachMark((t, digits) => pen.fillText(time(t, digits), clamp(x(t), left, width - 22), 16));
}

/** Bars of one lane in device pixels. Those narrower than four pixels join the one before if it has their colour and
    touches them, and give way if it has covered them. */
function paintLane(rows, y, tall, fills) {
  const scale = (width - left - 10) / (to - from) * ratio, zero = left * ratio - from * scale, models = plan.models.length;
  const edge = left * ratio, right = width * ratio;
  let color = -1, a = 0, b = 0;
  const flush = () => {
    if (color < 0) return;
    const model = color % models;
    pen.fillStyle = color < models ? fills[model] : fills[models];
    pen.globalAlpha = alone === null || alone === model ? 1 : 0.15;
    pen.fillRect(a, y, b - a, tall);
  };
  const bar = (what, t0, t1) => {
    const p = Math.max(edge, Math.round(zero + t0 * scale));
    const q = Math.min(right, Math.max(Math.round(zero + t1 * scale), p + 1));
    if (q - p < 4 && color >= 0) {
      if (what === color && p <= b) { if (q > b) b = q; return; }
      if (q <= b) return;
    }
    flush();
    color = what; a = color >= 0 ? Math.max(p, Math.min(b, q - 1)) : p; b = q - p >= 4 && what < models ? q - ratio : q;
  };
  for (let i = countWhile(rows.length, k => end[rows[k]] < from); i < rows.length; ++i) {
    const job = rows[i];
    if (taken(job) > to) break;
    if (load[job] >= 0 && loadEnd[job] >= from) bar(models + modelOf[job], load[job], loadEnd[job]);
    if (start[job] <= to) bar(modelOf[job], start[job], end[job]);
  }
  flush();
  pen.globalAlpha = 1;
}

function paintWords(rows, y, tall) {
  pen.textAlign = "left";
  for (let i = countWhile(rows.length, k => end[rows[k]] < from); i < rows.length && start[rows[i]] <= to; ++i) {
    const job = rows[i], a = Math.max(x(start[job]), left), b = Math.min(x(end[job]), width);
    if (b - a < 60 || (alone !== null && alone !== modelOf[job])) continue;
    const node = nodeOf(job);
    pen.fillStyle = plan.models[modelOf[job]].ink;
    pen.save();
    pen.beginPath(); pen.rect(a, y, b - a - 6, tall); pen.clip();
    pen.fillText(`${node.request} / ${node.name}`, a + 6, y + tall / 2 + 4);
    pen.restore();
  }
}

/** Names of GPUs as far as there is room, and a line where another machine begins. */
function paintNames(styles, firstLane, lastLane, tall) {
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(13 / tall)));
  pen.textAlign = "right";
  pen.fillStyle = styles.getPropertyValue("--soft");
  for (let gpu = firstLane; gpu < lastLane; ++gpu) {
    const y = top_ + gpu * tall - scroll;
    if (tall >= 6 && gpu > 0 && plan.gpus[gpu][1] !== plan.gpus[gpu - 1][1] && y > top_) pen.fillRect(left, Math.round(y) - 1, width, 1);
    if (gpu % every === 0 && y + tall / 2 > top_ - 4) pen.fillText(gpuName(gpu), left - 8, y + tall / 2 + 4);
  }
}

function paint() {
  queued = false;
  const styles = getComputedStyle(document.body), tall = laneHeight();
  for (const canvas of [chart, marks])
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  const firstLane = Math.max(0, Math.floor(scroll / tall)), lastLane = Math.min(plan.gpus.length, Math.ceil((scroll + height - top_) / tall));
  pen.save();
  pen.beginPath(); pen.rect(0, top_, width, height); pen.clip();
  const fills = [...plan.models.map(model => model.fill), hatch(styles)], space = tall >= 6 ? 2 : tall >= 3 ? 1 : 0;
  pen.fillStyle = styles.getPropertyValue("--lane");
  pen.fillRect(left, top_, Math.min(width, x(whole)) - left, Math.min(height, tall * plan.gpus.length - scroll));
  paintLines(styles);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  const together = Math.max(1, Math.floor(1 / (tall * ratio)));  // of lanes that share a row of pixels one is drawn
  for (let gpu = firstLane - firstLane % together; gpu < lastLane; gpu += together) {
    const y = Math.round((top_ + gpu * tall - scroll) * ratio), next = Math.round((top_ + (gpu + together) * tall - scroll) * ratio);
    if (next > y) paintLane(lanes[gpu], y, Math.max(1, next - y - Math.round(space * ratio)), fills);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (tall >= 16) for (let gpu = firstLane; gpu < lastLane; ++gpu) paintWords(lanes[gpu], top_ + gpu * tall - scroll, tall - 2);
  pen.restore();
  paintNames(styles, firstLane, lastLane, tall);
  paintTimes(styles);
  showMarks();
}

// ---- what the pointer asks
function jobAt(px, py) {
  const rows = lanes[laneAt(py)], t = timeAt(px), pixel = (to - from) / width;
  if (!rows || py < top_ || px < left) return -1;
  const i = countWhile(rows.length, k => end[rows[k]] < t);
  const job = i < rows.length && taken(rows[i]) <= t + pixel ? rows[i] : i > 0 && t - end[rows[i - 1]] <= pixel ? rows[i - 1] : -1;
  return job;
}

/** The bar that is asked about, and the bars it needs with a line from each. */
function showMarks() {
  marker.setTransform(ratio, 0, 0, ratio, 0, 0);
  marker.clearRect(0, 0, width, height);
  if (shown === null) return;
  const tall = laneHeight();
  marker.save();
  marker.beginPath(); marker.rect(left, top_, width, height); marker.clip();
  marker.strokeStyle = getComputedStyle(document.body).getPropertyValue("--ink");
  const y = job => top_ + firstGpu[job] * tall - scroll;
  const outline = (job, line) => {
    marker.lineWidth = line;
    marker.strokeRect(x(start[job]), y(job), Math.max(1, x(end[job]) - x(start[job])), Math.max(2, tall * plan.models[modelOf[job]].gpus - 1));
  };
  outline(shown, 2);
  for (const need of nodeOf(shown).needs) {
    outline(need, 1);
    marker.beginPath(); marker.moveTo(x(end[need]), y(need) + tall / 2); marker.lineTo(x(start[shown]), y(shown) + tall / 2); marker.stroke();
  }
  marker.restore();
}

function ask(e) {
  const job = jobAt(e.offsetX, e.offsetY);
  shown = job < 0 ? null : job;
  showMarks();
  if (job < 0) { tip.style.display = "none"; return; }
  const gpu = laneAt(e.offsetY), node = nodeOf(job), model = plan.models[modelOf[job]];
  const loading = load[job] >= 0 && timeAt(e.offsetX) < loadEnd[job];
  tip.replaceChildren();
  const add = (tag, text, kind = "") => { const line = document.createElement(tag); line.textContent = text; line.className = kind; tip.append(line); };
  add("b", (loading ? "loading " : "") + model.name);
  add("span", `request ${node.request}, node ${node.name}`);
  if (load[job] >= 0) add("span", `loads ${time(load[job])} – ${time(loadEnd[job])}`);
  add("span", `runs ${time(start[job])} – ${time(end[job])} (${time(end[job] - start[job])})`);
  add("span", `${gpuName(firstGpu[job], model.gpus)}, ${plan.gpus[gpu][0]} on ${plan.nodes[plan.gpus[gpu][1]]}`);
  for (const reason of why(job, gpu)) add("span", reason, "why");
  tip.style.display = "block";
  const fit = (at, size, room) => at + 14 + size <= room - 6 ? at + 14 : Math.max(6, at - 14 - size);
  tip.style.left = fit(e.clientX, tip.offsetWidth, innerWidth) + "px";
  tip.style.top = fit(e.clientY, tip.offsetHeight, innerHeight) + "px";
}
function askNothing() { shown = null; tip.style.display = "none"; showMarks(); }

const fingers = new Map();
chart.addEventListener("wheel", e => {
  e.preventDefault();
  if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) move(e.deltaX, e.shiftKey ? e.deltaY : 0);
  else zoom(1.0022 ** clamp(e.deltaMode === 1 ? e.deltaY * 33 : e.deltaY, -200, 200), e.offsetX, e.offsetY);
  askNothing();
}, { passive: false });
chart.addEventListener("dblclick", () => { from = 0; to = whole; settle(); });
chart.addEventListener("pointerdown", e => {
  fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
  chart.setPointerCapture(e.pointerId);
  chart.classList.add("moving");
  ask(e);
});
function letGo(e) { fingers.delete(e.pointerId); if (fingers.size === 0) chart.classList.remove("moving"); }
chart.addEventListener("pointerup", letGo);
chart.addEventListener("pointercancel", letGo);
chart.addEventListener("pointerleave", askNothing);
chart.addEventListener("pointermove", e => {
  const old = fingers.get(e.pointerId);
  if (!old) { ask(e); return; }
  if (old[0] === e.offsetX && old[1] === e.offsetY) return;
  askNothing();
  const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
  if (other) {
    const distance = p => Math.max(10, Math.hypot(p[0] - other[0], p[1] - other[1]));
    zoom(distance(old) / distance([e.offsetX, e.offsetY]), other[0], other[1]);
  } else {
    move(old[0] - e.offsetX, old[1] - e.offsetY);
  }
  fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
});
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = (width - left) / 8, middle = [(left + width) / 2, (top_ + height) / 2];
  const does = { "+": () => zoom(0.8, ...middle), "=": () => zoom(0.8, ...middle), "-": () => zoom(1.25, ...middle),
                 "0": () => { from = 0; to = whole; scroll = 0; settle(); }, "ArrowLeft": () => move(-step, 0), "ArrowRight": () => move(step, 0),
                 "ArrowUp": () => move(0, -3 * laneHeight()), "ArrowDown": () => move(0, 3 * laneHeight()) }[e.key];
  if (!does) return;
  e.preventDefault();
  askNothing();
  does();
});

// ---- the legend: most used first, with its share of all running time
const used = plan.models.map((_, m) => m).filter(m => modelTime[m] > 0).sort((a, b) => modelTime[b] - modelTime[a]);
const running = used.reduce((sum, m) => sum + modelTime[m], 0);
for (const m of used) {
  const entry = document.createElement("button"), dot = document.createElement("i"), share = document.createElement("small");
  dot.style.background = plan.models[m].fill;
  share.textContent = (100 * modelTime[m] / running).toFixed(1) + " %";
  entry.append(dot, plan.models[m].name, share);
  entry.title = "Press to see " + plan.models[m].name + " alone";
  entry.addEventListener("click", () => {
    alone = alone === m ? null : m;
    for (const other of entry.parentNode.children) other.setAttribute("aria-pressed", other === entry && alone === m);
    settle();
  });
  document.getElementById("legend").append(entry);
}

new ResizeObserver(() => {
  const box = chart.parentNode;
  width = Math.max(120, box.clientWidth); height = Math.max(60, box.clientHeight); ratio = devicePixelRatio || 1; left = width < 600 ? 50 : 64;
  settle();
}).observe(chart.parentNode);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", settle);
document.getElementById("view").style.maxHeight = top_ + 6 + tallest * plan.gpus.length + "px";
)html";

}  // namespace sy::output
