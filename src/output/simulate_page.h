// The parts of the simulation's page that do not change from one to the next. No network, no library, no storage; all
// there is to see is there without the script, which only adds values under the pointer.
#pragma once

namespace sy::output {

/// The six colours are the outcome of a search for those farthest apart, in Oklab, for people with each kind of
/// dichromacy (as in Machado, Oliveira and Fernandes 2009) that still have a contrast of 3 on the paper; from the
/// seventh line on dashes tell them apart.
inline constexpr const char* kSeriesStyle = R"css(
:root { --s0: #3a0889; --s1: #bd6800; --s2: #38a49d; --s3: #631312; --s4: #875fd2; --s5: #1f6072; --heat: 189 104 0; }
@media (prefers-color-scheme: dark) {
  :root { --s0: #1283e7; --s1: #da871c; --s2: #7cfef2; --s3: #cb4687; --s4: #b2b1fd; --s5: #fedb1b; --heat: 218 135 28; }
}
.s0 { stroke: var(--s0); --own: var(--s0); } .s1 { stroke: var(--s1); --own: var(--s1); }
.s2 { stroke: var(--s2); --own: var(--s2); } .s3 { stroke: var(--s3); --own: var(--s3); }
.s4 { stroke: var(--s4); --own: var(--s4); } .s5 { stroke: var(--s5); --own: var(--s5); }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 3; }
)css";

inline constexpr const char* kReportStyle = R"css(
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 22px 24px 40px; max-width: 1240px; font: 14px/1.45 system-ui, sans-serif;
       color: var(--ink); background: var(--paper); -webkit-print-color-adjust: exact; print-color-adjust: exact; }
h1 { font-size: 23px; line-height: 1.25; margin: 0 0 10px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 2px; }
h3 { font-size: 13px; margin: 12px 0 3px; font-weight: 600; }
h3 small { font-weight: 400; color: var(--soft); font-size: 12px; margin-left: 6px; }
p { margin: 0 0 10px; color: var(--soft); font-size: 13px; max-width: 84ch; }
p.lead { color: var(--ink); font-size: 15px; margin: 14px 0 0; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: 6px 32px; margin: 0; }
dt { color: var(--soft); font-size: 12px; }
dd { margin: 0; font-size: 17px; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
section { margin-top: 34px; min-width: 0; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 40px; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: 6px 14px 6px 9px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: 12px; vertical-align: bottom;
           background: var(--lane); }
tbody th { font-weight: 600; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); max-width: 210px;
                 overflow: hidden; text-overflow: ellipsis; }
thead th:first-child { background: var(--lane); }
.dense th, .dense td { padding: 6px 5px; font-size: 12px; }
td.best { font-weight: 700; }
td.best::after { content: "★"; font-size: 9px; vertical-align: 2px; position: absolute; margin-left: 1px; color: var(--s1); }
.swatch { width: 22px; height: 8px; margin-right: 7px; vertical-align: 1px; overflow: visible; }
.swatch path { stroke-width: 3.5; }
polyline, .swatch path { fill: none; vector-effect: non-scaling-stroke; stroke-width: 2; stroke-linejoin: round; }
polyline.filled { fill: var(--own); fill-opacity: .22; stroke-width: 1.2; stroke-dasharray: none; }
.bars { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: 0 10px; }
.bars > b { font-weight: 500; padding: 5px 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.track { position: relative; margin-right: 74px; padding: 5px 0; }
.bar { height: 19px; border-radius: 0 3px 3px 0; background: var(--own); }
.bar.d1 { background: repeating-linear-gradient(115deg, var(--own) 0 7px, transparent 7px 10px); }
.bar.d2 { background: repeating-linear-gradient(115deg, var(--own) 0 3px, transparent 3px 6px); }
.track span { position: absolute; top: 5px; line-height: 19px; margin-left: 6px; white-space: nowrap;
              font-variant-numeric: tabular-nums; font-size: 13px; }
.bound { position: absolute; top: 0; bottom: 0; border-left: 2px dashed var(--ink); box-shadow: -1px 0 var(--paper), 1px 0 var(--paper); }
.track .below { position: static; }
.track em { position: absolute; top: 2px; font-style: normal; font-size: 12px; color: var(--soft); white-space: nowrap; }
.track em.back { transform: translateX(-100%); }
.plot { position: relative; height: 300px; margin: 8px 14px 26px 46px; }
.plot.small { height: 58px; margin-bottom: 4px; }
.few .plot.small { height: 120px; }
.plot.small .across { display: none; }
.plot.small.last { margin-bottom: 26px; } .plot.small.last .across { display: block; }
.lines { position: absolute; inset: 0; width: 100%; height: 100%; display: block; overflow: visible; }
.grid { stroke: var(--line); vector-effect: non-scaling-stroke; fill: none; }
.up span, .across span { position: absolute; font-size: 11px; line-height: 14px; color: var(--soft); white-space: nowrap;
                         font-variant-numeric: tabular-nums; }
.up span { right: calc(100% + 7px); transform: translateY(50%); }
.across span { top: calc(100% + 5px); transform: translateX(-50%); }
.cross { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--soft); display: none; pointer-events: none; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 4px; margin-left: 38px; }
.legend button { font: inherit; font-size: 13px; color: inherit; background: none; border: 0; border-radius: 4px;
                 padding: 2px 8px; cursor: pointer; max-width: 100%; overflow: hidden; text-overflow: ellipsis; }
.legend button:hover, .legend button[aria-pressed=true] { background: var(--line); }
.alone polyline:not(.on) { opacity: .13; } .alone polyline.on { stroke-width: 3; }
#tip { position: fixed; pointer-events: none; display: none; left: 0; top: 0; background: var(--tip); z-index: 2;
       border: 1px solid var(--line); border-radius: 6px; padding: 7px 11px; box-shadow: 0 2px 12px rgb(0 0 0 / .25);
       font-size: 12px; font-variant-numeric: tabular-nums; max-width: min(340px, calc(100vw - 16px)); }
#tip div { display: flex; gap: 18px; justify-content: space-between; }
#tip div b { font-weight: 500; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
footer { margin-top: 34px; color: var(--soft); font-size: 12px; }
@media (max-width: 800px) { .pair { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 600px) {
  body { padding: 14px 12px 30px; } h1 { font-size: 19px; } dl { gap: 4px 22px; } dd { font-size: 15px; }
  .plot { height: 240px; margin-left: 40px; } .legend { margin-left: 0; } .across .odd { display: none; }
  th, td { padding: 6px 8px; } th:first-child { max-width: 130px; }
}
@media print {
  .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 20px; } .dense th, .dense td { font-size: 8.5px; }
  body { padding: 0; max-width: none; font-size: 11px; } section, .panel { break-inside: avoid; }
  section { margin-top: 20px; } .wide { overflow: visible; } table { font-size: 9.5px; } thead th { font-size: 9px; }
  th, td, .dense th, .dense td { padding: 3px 4px; } .plot { height: 220px; } .plot.small { height: 44px; } #tip, .cross { display: none !important; }
}
)css";

inline constexpr const char* kReportScript = R"js(
"use strict";
const tip = document.getElementById("tip");
const span = s => s < 120 ? s.toFixed(1) + " s" : s < 7200 ? (s / 60).toFixed(1) + " min"
  : s < 172800 ? (s / 3600).toFixed(1) + " h" : (s / 86400).toFixed(1) + " d";
const read = new Map();
const points = line => {
  if (!read.has(line)) read.set(line, line.getAttribute("points").split(" ").map(p => p.split(",").map(Number)));
  return read.get(line);
};
const height_at = (line, x) => {
  const at = points(line);
  if (!at.length || x < at[0][0]) return 0;
  let low = 0, high = at.length;
  while (low < high) { const mid = (low + high) >> 1; if (at[mid][0] <= x) low = mid + 1; else high = mid; }
  if (low === at.length) return line.closest(".plot").dataset.log ? 1 : 0;
  const [x0, y0] = at[low - 1], [x1, y1] = at[low];
  return 1 - (y0 + (y1 - y0) * (x - x0) / (x1 - x0)) / 1000;
};
const hide = () => {
  tip.style.display = "none";
  for (const cross of document.querySelectorAll(".cross")) cross.style.display = "none";
};
const show = (plot, event) => {
  const box = plot.getBoundingClientRect(), part = (event.clientX - box.left) / box.width;
  hide();
  if (part < 0 || part > 1) return;
  const from = Number(plot.dataset.from), to = Number(plot.dataset.to), most = Number(plot.dataset.most);
  const section = plot.closest("section");
  const head = document.createElement("div");
  head.textContent = (plot.dataset.log ? "within " + span(from * (to / from) ** part) : "after " + span(to * part));
  tip.replaceChildren(head);
  for (const line of section.querySelectorAll("polyline")) {
    const value = height_at(line, 1000 * part) * most, row = document.createElement("div");
    const name = document.createElement("b"), figure = document.createElement("span");
    const swatch = document.querySelector(".swatch").cloneNode(true);
    swatch.firstChild.setAttribute("class", line.getAttribute("class").slice(0, 5));
    name.append(swatch, line.dataset.name);
    figure.textContent = plot.dataset.unit ? value.toFixed(1) + " " + plot.dataset.unit : value.toFixed(value < 10 ? 1 : 0);
    row.append(name, figure); tip.append(row);
  }
  for (const cross of section.querySelectorAll(".cross")) { cross.style.display = "block"; cross.style.left = 100 * part + "%"; }
  tip.style.display = "block";
  const size = tip.getBoundingClientRect();
  const left = event.clientX + 16 + size.width > innerWidth ? event.clientX - size.width - 16 : event.clientX + 16;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - size.height - 6)) + "px";
};
for (const plot of document.querySelectorAll(".plot")) {
  plot.addEventListener("pointermove", event => show(plot, event));
  plot.addEventListener("pointerdown", event => show(plot, event));
  plot.addEventListener("pointerleave", hide);
}
for (const button of document.querySelectorAll(".legend button")) button.addEventListener("click", () => {
  const section = button.closest("section"), chosen = button.getAttribute("aria-pressed") !== "true";
  const buttons = [...section.querySelectorAll(".legend button")];
  for (const other of buttons) other.setAttribute("aria-pressed", String(chosen && other === button));
  section.classList.toggle("alone", chosen);
  section.querySelectorAll("polyline").forEach((line, i) => line.classList.toggle("on", i === buttons.indexOf(button)));
});
)js";

}  // namespace sy::output
