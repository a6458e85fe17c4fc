// The parts of the simulation's page that do not change from one to the next. No network, no storage; figures are there
// without the script, which draws the plots and the chart.
#pragma once

namespace sy::output {

/// The six colours are the outcome of a search for those farthest apart, in Oklab, for people with each kind of
/// dichromacy (as in Machado, Oliveira and Fernandes 2009) that still have a contrast of 3 on the paper; from the
/// seventh line on dashes tell them apart.
inline constexpr const char* kSeriesStyle = R"css(
:root { --order0: #3a0889; --order1: #bd6800; --order2: #38a49d; --order3: #631312; --order4: #875fd2; --order5: #1f6072; --heat: 189 104 0; }
@media (prefers-color-scheme: dark) {
  :root { --order0: #1283e7; --order1: #da871c; --order2: #7cfef2; --order3: #cb4687; --order4: #b2b1fd; --order5: #fedb1b; --heat: 218 135 28; }
}
.s0 { stroke: var(--order0); --own: var(--order0); } .s1 { stroke: var(--order1); --own: var(--order1); }
.s2 { stroke: var(--order2); --own: var(--order2); } .s3 { stroke: var(--order3); --own: var(--order3); }
.s4 { stroke: var(--order4); --own: var(--order4); } .s5 { stroke: var(--order5); --own: var(--order5); }
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
td.best::after { content: "★"; font-size: 9px; vertical-align: 2px; position: absolute; margin-left: 1px; color: var(--order1); }
.swatch { width: 22px; height: 8px; margin-right: 7px; vertical-align: 1px; overflow: visible; }
.swatch path { fill: none; stroke-width: 3.5; }
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
.plots { position: relative; margin: 8px 0 0 -8px; }
.strip h3 { display: flex; align-items: center; gap: 7px; margin: 6px 0 0; padding: 0 14px 0 8px; }
.strip h3 small { margin-left: auto; } .strip.faint .strip-plot { opacity: .3; }
.plot-tip { position: absolute; top: 16px; z-index: 2; pointer-events: none; display: grid; gap: 1px; padding: 6px 10px;
            border: 1px solid var(--line); border-radius: 6px; background: var(--tip); font-size: 12px;
            box-shadow: 0 2px 12px rgb(0 0 0 / .25); font-variant-numeric: tabular-nums; }
.plot-tip[hidden] { display: none; } .plot-tip span { display: flex; align-items: center; gap: 6px; }
.plot-tip em { margin-left: auto; padding-left: 14px; font-style: normal; }
.order-dot { display: inline-block; flex: none; width: 14px; height: 4px; border-radius: 2px; }
#groups .order-dot { width: 11px; height: 11px; }
#orders, #groups { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: center; font-size: 13px; }
#orders { gap: 2px 4px; margin-left: -8px; } #groups span, #orders button { display: inline-flex; align-items: center; gap: 7px; }
#orders button { font: inherit; color: inherit; background: none; border: 0; border-radius: 4px; padding: 2px 8px; cursor: pointer; }
#orders button:hover, #orders button[aria-pressed=true] { background: var(--line); }
#view { position: relative; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; margin: 8px 0; }
#view canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
#chart { cursor: grab; touch-action: none; } #chart:focus-visible { outline: 2px solid var(--soft); outline-offset: -2px; }
#marks { pointer-events: none; }
#gantt select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; }
#tip { position: fixed; pointer-events: none; display: none; left: 0; top: 0; background: var(--tip); z-index: 2;
       border: 1px solid var(--line); border-radius: 6px; padding: 7px 11px; box-shadow: 0 2px 12px rgb(0 0 0 / .25);
       font-size: 12px; font-variant-numeric: tabular-nums; max-width: min(340px, calc(100vw - 16px)); }
#tip b, #tip span { display: block; overflow-wrap: anywhere; } #tip .why { color: var(--soft); }
footer { margin-top: 34px; color: var(--soft); font-size: 12px; }
@media (max-width: 800px) { .pair { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 600px) {
  body { padding: 14px 12px 30px; } h1 { font-size: 19px; } dl { gap: 4px 22px; } dd { font-size: 15px; }
  th, td { padding: 6px 8px; } th:first-child { max-width: 130px; }
}
@media print {
  .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 20px; } .dense th, .dense td { font-size: 8.5px; }
  body { padding: 0; max-width: none; font-size: 11px; } section, .strip { break-inside: avoid; }
  section { margin-top: 20px; } .wide { overflow: visible; } table { font-size: 9.5px; } thead th { font-size: 9px; }
  th, td, .dense th, .dense td { padding: 3px 4px; } #tip { display: none !important; }
}
)css";

inline constexpr const char* kChart =
    R"html(<section id="gantt"><h2>What each GPU did</h2><p>Under <select id="shown" aria-label="Order"></select>, one lane for each
GPU, coloured by <span id="grouped"></span>. Point at a bar to ask what it is. Scroll or pinch to zoom, drag to move; keys + − 0 and
arrows. <span id="cut" hidden>Later bars are left out: there are too many.</span></p>
<div id="groups"></div>
<div id="view"><canvas id="chart" tabindex="0" aria-label="Gantt chart: one lane for each GPU"></canvas>
<canvas id="marks" aria-hidden="true"></canvas></div></section>
)html";

}  // namespace sy::output
