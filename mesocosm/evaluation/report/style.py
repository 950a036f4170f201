"""How a report looks, in light and in dark."""

STYLE = """
:root {
  --paper: #fbfaf7; --card: #ffffff; --ink: #22211e; --soft: #6b6860; --rule: #e4e1d8;
  --grid: #eceae3; --trained: #1f6fb2; --random: #8a877d; --other: #b8731a;
  --success: #2f8f5b; --failure: #c2483d; --neutral: #8a877d; --timeout: #c99a2e; --none: #b9b6ac;
  --c0: #1f6fb2; --c1: #b8731a; --c2: #3d8a50; --c3: #a8447c; --c4: #6b6860; --c5: #7a5fc0;
  --c6: #b03a2e; --c7: #2a8f96;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181b; --card: #1e2125; --ink: #e8e6e1; --soft: #9c9a94; --rule: #33373c;
    --grid: #2a2e33; --trained: #5aa9e6; --random: #9c9a94; --other: #e0a04e;
    --success: #57b883; --failure: #e2776c; --neutral: #9c9a94; --timeout: #dcb65a; --none: #6c6a65;
    --c0: #5aa9e6; --c1: #e0a04e; --c2: #6cc085; --c3: #e086b8; --c4: #a8a69f; --c5: #ad98ec;
    --c6: #ee8377; --c7: #58c2c9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 18px; margin: 36px 0 6px; }
p { margin: 0 0 10px; max-width: 76ch; }
header p, .note, figcaption, small { color: var(--soft); }
.note { font-size: 14px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 14px;
  margin: 22px 0 0; }
.tile { background: var(--card); border: 1px solid var(--rule); border-top: 4px solid var(--other);
  border-radius: 8px; padding: 12px 16px; display: flex; flex-direction: column; }
.tile.trained { border-top-color: var(--trained); }
.tile.random { border-top-color: var(--random); }
.tile strong { font-size: 30px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.grid { display: grid; gap: 14px; }
.grid.two { grid-template-columns: repeat(auto-fill, minmax(min(400px, 100%), 1fr)); }
.grid.three { grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr));
  margin-top: 14px; }
.grid.wide-charts { grid-template-columns: repeat(auto-fill, minmax(min(460px, 100%), 1fr)); }
.below { margin-top: 14px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 10px; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; }
svg { display: block; width: 100%; height: auto; margin: 0 auto; font-size: 12px; fill: var(--ink);
  font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
svg .paper { fill: var(--card); }
svg .title { font-size: 13.5px; font-weight: 600; }
svg .tick { fill: var(--soft); }
svg .label { font-size: 13px; }
svg .value { font-size: 13px; font-weight: 600; }
svg .gridline { stroke: var(--grid); }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .curve { fill: none; stroke: var(--trained); stroke-width: 2.4; stroke-linejoin: round;
  stroke-linecap: round; }
svg .raw { fill: var(--trained); opacity: 0.22; }
svg .level { stroke-width: 1.4; stroke-dasharray: 5 4; }
svg .level.random { stroke: var(--random); } svg .level.other { stroke: var(--other); }
svg .name.random { fill: var(--random); } svg .name.other { fill: var(--other); }
svg .bar.trained { fill: var(--trained); } svg .bar.random { fill: var(--random); }
svg .bar.other { fill: var(--other); }
svg .whisker { stroke: var(--ink); stroke-width: 1.4; }
svg rect.success { fill: var(--success); } svg rect.failure { fill: var(--failure); }
svg rect.neutral { fill: var(--neutral); } svg rect.timeout { fill: var(--timeout); }
svg rect.none { fill: var(--none); }
svg .cell { stroke: var(--card); } svg .dark { fill: #000000; } svg .light { fill: #ffffff; }
svg .c0 { stroke: var(--c0); fill: var(--c0); }
svg .c1 { stroke: var(--c1); fill: var(--c1); }
svg .c2 { stroke: var(--c2); fill: var(--c2); }
svg .c3 { stroke: var(--c3); fill: var(--c3); }
svg .c4 { stroke: var(--c4); fill: var(--c4); }
svg .c5 { stroke: var(--c5); fill: var(--c5); }
svg .c6 { stroke: var(--c6); fill: var(--c6); }
svg .c7 { stroke: var(--c7); fill: var(--c7); }
svg .focal { stroke: var(--c0); fill: var(--c0); }
svg path.other, svg circle.other, svg text.other { stroke: var(--c1); fill: var(--c1); }
svg .collective { stroke: var(--c4); fill: var(--c4); }
svg path.line { fill: none; stroke-width: 2.4; stroke-linejoin: round; }
svg path.band { stroke: none; opacity: 0.18; } svg path.thin { stroke-width: 1; opacity: 0.55; }
svg text[class] { stroke: none; } svg .stem { stroke-width: 2; } svg .dot { stroke: none; }
svg .box { stroke: none; opacity: 0.45; } svg .median { stroke: var(--ink); stroke-width: 2; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 7px;
  vertical-align: -1px; background: var(--other); }
.swatch.trained { background: var(--trained); } .swatch.random { background: var(--random); }
.swatch.success { background: var(--success); } .swatch.failure { background: var(--failure); }
.swatch.neutral { background: var(--neutral); } .swatch.timeout { background: var(--timeout); }
.swatch.none { background: var(--none); }
.legend { margin: 4px 0 2px; max-width: none; display: flex; gap: 18px; justify-content: center;
  font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 8px 12px; text-align: left; vertical-align: baseline;
  border-bottom: 1px solid var(--rule); }
tr:last-child th, tr:last-child td { border-bottom: 0; }
tbody:last-child tr:last-child td { border-bottom: 0; }
th { font-weight: 400; white-space: nowrap; } thead th { color: var(--soft); font-size: 13px; }
td.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.pairs th { color: var(--soft); width: 1%; }
code { font: 12.5px/1.5 ui-monospace, "SFMono-Regular", Menlo, "DejaVu Sans Mono", monospace; }
td code { overflow-wrap: anywhere; }
pre { margin: 0 0 14px; padding: 10px 14px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
figure { margin: 0; display: flex; flex-wrap: wrap; gap: 18px; align-items: flex-start; }
figure img { display: block; max-width: 100%; border-radius: 8px; border: 1px solid var(--rule); }
.films { display: grid; gap: 14px;
  grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); }
.films figcaption { flex: 1 1 100%; }
figcaption b { color: var(--ink); font-weight: 600; }
details summary { cursor: pointer; margin: 0 0 10px; color: var(--soft); font-size: 14px; }
.worse { color: var(--failure); } .better { color: var(--success); }
figcaption { flex: 1 1 240px; max-width: 52ch; font-size: 14px; }
"""
