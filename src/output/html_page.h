// The parts of the HTML chart that do not change from plan to plan, without its script. No network, no library, no
// storage.
#pragma once

namespace sy::output {

inline constexpr const char* kPageHead = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchyard plan</title>
<style>
)html";

inline constexpr const char* kPageStyle = R"html(* { box-sizing: border-box; }
body { margin: 0; padding: 14px 20px; height: 100vh; height: 100dvh; display: flex; flex-direction: column; gap: 10px;
       font: 14px/1.4 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 0; }
dt { color: var(--soft); font-size: 12px; }
dd { margin: 0; font-size: 17px; font-weight: 600; font-variant-numeric: tabular-nums; }
p { margin: 0; color: var(--soft); font-size: 12px; }
kbd { font: inherit; padding: 0 4px; border: 1px solid var(--line); border-radius: 3px; }
#view { position: relative; flex: 1 1 auto; min-height: 160px; border: 1px solid var(--line); border-radius: 6px;
        overflow: hidden; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
#chart { cursor: grab; touch-action: none; }
#chart:focus-visible { outline: 2px solid var(--soft); outline-offset: -2px; }
#chart.moving { cursor: grabbing; }
#marks { pointer-events: none; }
#legend { display: flex; flex-wrap: wrap; gap: 2px 4px; flex: 0 0 auto; max-height: 22vh; overflow: auto; }
#legend button { font: inherit; color: inherit; background: none; border: 0; border-radius: 4px; padding: 1px 8px 1px 4px;
                 cursor: pointer; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#legend button:hover, #legend button[aria-pressed=true] { background: var(--line); }
#legend i { display: inline-block; width: 11px; height: 11px; margin-right: 6px; border-radius: 2px; }
#legend small { color: var(--soft); margin-left: 6px; }
#tip { position: fixed; pointer-events: none; display: none; left: 0; top: 0; background: var(--tip);
       border: 1px solid var(--line); border-radius: 6px; padding: 7px 11px; box-shadow: 0 2px 12px rgb(0 0 0 / .25);
       max-width: min(420px, calc(100vw - 16px)); overflow-wrap: anywhere; font-size: 13px; }
#tip b { display: block; }
#tip span { display: block; }
#tip .why { color: var(--soft); }
@media (max-width: 600px) { body { padding: 10px; gap: 8px; } dl { gap: 2px 18px; } dd { font-size: 15px; } .keys { display: none; } }
</style></head><body>
<dl>
)html";

inline constexpr const char* kPageBody =
    R"html(; hatched is loading a model. Point at a bar to ask what it is. Scroll or pinch to zoom, drag to
move.<span class="keys"> Keys: <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move,
<kbd>0</kbd> shows all.</span></p>
<div id="view"><canvas id="chart" tabindex="0" aria-label="Gantt chart: one lane for each GPU"></canvas>
<canvas id="marks" aria-hidden="true"></canvas></div>
<div id="legend" aria-label="Models; press one to see it alone"></div><div id="tip" role="status"></div>
)html";

inline constexpr const char* kPageEnd = R"html(</body></html>
)html";

}  // namespace sy::output
