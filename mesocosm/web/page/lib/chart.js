// Lines with bands over a number such as steps: drawn by uPlot, with a legend that tells values,
// arrow keys that move through them, and the same numbers as a table.
import uPlot from "../vendor/uplot.mjs";
import { html, useEffect, useMemo, useRef, useState } from "./html.js";
import { alignLines, sampleIndices, valueAt } from "./lines.js";
import { theme } from "./theme.js";
import { short } from "./ui.js";

const HEIGHT = 220;
const COLOURS = 6; // --series-1 to --series-6 in styles/chart.css
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4]];
const BAND_ALPHA = "33";
const MOST_ROWS = 200; // of the table

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colourName = (k) => `--series-${(k % COLOURS) + 1}`;
// a line is told apart by its dashes too, so that colour is not all
const dashOf = (k) => DASHES[(k + Math.floor(k / COLOURS)) % DASHES.length];

/** Say what a line is drawn with: the line, and the ends of its band without strokes. */
function seriesOf(line, k) {
  const stroke = () => css(colourName(k));
  const main = { label: line.name, stroke, width: 2, dash: dashOf(k), spanGaps: true,
    points: { fill: stroke, size: 5 } };
  const edge = { spanGaps: true, stroke: "transparent", width: 0, points: { show: false } };
  return line.low ? [main, { ...edge, label: "high" }, { ...edge, label: "low" }] : [main];
}

function dataOf(lines) {
  const { xs, spread } = alignLines(lines);
  const columns = lines.flatMap((line) => [
    spread(line, line.y),
    ...(line.low ? [spread(line, line.high), spread(line, line.low)] : []),
  ]);
  return [xs, ...columns];
}

/** Give for each line the number of its column in the data, and for each band its two. */
function placesOf(lines) {
  let next = 1;
  return lines.map((line) => {
    const at = next;
    next += line.low ? 3 : 1;
    return at;
  });
}

function makeOptions(lines, width, xLabel, onMove) {
  const places = placesOf(lines);
  const axis = { stroke: () => css("--muted"), grid: { stroke: () => css("--line"), width: 1 },
    ticks: { show: false }, font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    values: (_, splits) => splits.map((value) => (value === null ? "" : short(value))) };
  const bands = lines.flatMap((line, k) => (line.low
    ? [{ series: [places[k] + 1, places[k] + 2], fill: () => css(colourName(k)) + BAND_ALPHA }]
    : []));
  return {
    width, height: HEIGHT, legend: { show: false }, bands,
    scales: { x: { time: false } },
    series: [{}, ...lines.flatMap(seriesOf)],
    axes: [{ ...axis, label: xLabel, labelSize: 18, size: 30 }, { ...axis, size: 56 }],
    cursor: { y: false, drag: { x: true, y: false }, points: { size: 7 } },
    hooks: { setCursor: [(plot) => onMove(plot.cursor.idx ?? null)] },
  };
}

/** Draw into an element as lines change, as it is resized, and as the theme changes. */
function usePlot(lines, xLabel, onMove) {
  const room = useRef(null);
  const plot = useRef(null);
  const shape = JSON.stringify(lines.map((line) => [line.name, Boolean(line.low)]));
  const data = useMemo(() => dataOf(lines), [lines]);
  useEffect(() => {
    const width = room.current.clientWidth || 300;
    plot.current = new uPlot(makeOptions(lines, width, xLabel, onMove), data, room.current);
    const sizes = new ResizeObserver(() => {
      const now = room.current.clientWidth;
      if (now && now !== plot.current.width) plot.current.setSize({ width: now, height: HEIGHT });
    });
    sizes.observe(room.current);
    const forget = theme.subscribe(() => plot.current.redraw(false, true));
    return () => {
      sizes.disconnect();
      forget();
      plot.current.destroy();
    };
  }, [shape, xLabel]);
  useEffect(() => plot.current.setData(data), [data]);
  return { room, plot, data };
}

/**
 * Show lines over a number.
 * @param props title; xLabel: what the x axis counts; lines: [{name, x, y, low?, high?}], low and
 *   high being the ends of a band; note: what a band is
 */
export function Chart({ title, xLabel = "agent-steps", lines, note }) {
  const [index, setIndex] = useState(null);
  const [off, setOff] = useState({}); // lines that are not shown, by name
  const { room, plot, data } = usePlot(lines, xLabel, setIndex);
  const places = placesOf(lines);
  const last = data[0].length - 1;
  const at = index ?? last;
  useEffect(() => {
    lines.forEach((line, k) => {
      const count = line.low ? 3 : 1;
      for (let j = 0; j < count; j += 1) plot.current.setSeries(places[k] + j, { show: !off[line.name] });
    });
  }, [off, lines.length]);
  const onKeyDown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || last < 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, at + step));
    plot.current.setCursor({ left: plot.current.valToPos(data[0][next], "x"), top: 0 });
  };
  return html`<figure class="chart">
    <figcaption><span class="chart-title">${title}</span>
      ${last >= 0 && html`<span class="muted small chart-at">at ${(data[0][at] ?? data[0][last]).toLocaleString("en")}</span>`}
    </figcaption>
    <div class="chart-room" role="group" tabindex="0" onKeyDown=${onKeyDown}
      aria-label=${`${title}: left and right arrows move through the values`}>
      <div class="chart-plot" role="img" aria-label=${describe(title, xLabel, lines)} ref=${room}></div>
    </div>
    <ul class="chart-legend">${lines.map((line, k) => html`<li key=${line.name}>
      <button type="button" class="plain" aria-pressed=${!off[line.name]}
        title=${off[line.name] ? "Show this line" : "Hide this line"}
        onClick=${() => setOff({ ...off, [line.name]: !off[line.name] })}>
        <${Swatch} k=${k} band=${Boolean(line.low)} /> <span>${line.name}</span>
        <b>${tell(data, places[k], at, line)}</b></button></li>`)}</ul>
    ${note && html`<p class="muted small">${note}</p>`}
    <${DataTable} title=${title} xLabel=${xLabel} lines=${lines} data=${data} />
  </figure>`;
}

function tell(data, place, at, line) {
  const value = short(valueAt(data[place], at));
  if (!line.low) return value;
  return `${value} (${short(valueAt(data[place + 2], at))} to ${short(valueAt(data[place + 1], at))})`;
}

function describe(title, xLabel, lines) {
  const parts = lines.filter((line) => line.y.length).map((line) =>
    `${line.name}: ${short(line.y.find((y) => y !== null) ?? null)} at first, ${short(valueAt(line.y, line.y.length))} at last`);
  return `${title} over ${xLabel}. ${parts.join("; ") || "No values yet"}`;
}

/** The stroke of a line, as it is drawn. */
export function Swatch({ k, band }) {
  const colour = `var(${colourName(k)})`;
  return html`<svg class="chart-swatch" viewBox="0 0 28 12" aria-hidden="true">
    ${band && html`<rect width="28" height="12" fill=${colour} opacity="0.2" />`}
    <line x1="0" y1="6" x2="28" y2="6" stroke=${colour} stroke-width="2.5" stroke-dasharray=${dashOf(k).join(" ")} />
  </svg>`;
}

/** The same numbers for those who read, evenly chosen where there are many. */
function DataTable({ title, xLabel, lines, data }) {
  const [open, setOpen] = useState(false);
  const places = placesOf(lines);
  const rows = open ? sampleIndices(data[0].length, MOST_ROWS) : [];
  return html`<details class="chart-table" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>Table of ${title.toLowerCase()}</summary>
    ${open && html`<div class="table-room" tabindex="0" role="region" aria-label=${`Table of ${title}`}>
      ${rows.length < data[0].length && html`<p class="muted small">${rows.length} of ${data[0].length} rows, evenly chosen</p>`}
      <table><thead><tr><th scope="col" class="number">${xLabel}</th>
        ${lines.map((line) => html`<th scope="col" class="number">${line.name}</th>`)}</tr></thead>
      <tbody>${rows.map((k) => html`<tr key=${k}><th scope="row" class="number">${data[0][k].toLocaleString("en")}</th>
        ${lines.map((line, j) => html`<td class="number">${data[places[j]][k] === null ? "–" : tell(data, places[j], k, line)}</td>`)}
      </tr>`)}</tbody></table></div>`}
  </details>`;
}
