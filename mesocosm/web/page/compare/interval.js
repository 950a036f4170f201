// Numbers with intervals: a table in which every row draws its interval on a common scale.
import { html } from "../lib/html.js";
import { short } from "../lib/ui.js";

const WIDTH = 260;
const PAD = 10;
const TICKS = 3;

const known = (value) => value !== null && value !== undefined;

/** Find a scale that holds all intervals: {low, high, at(value)}. */
export function scaleOf(rows, marks = []) {
  const values = [...rows.flatMap(({ value, low, high }) => [value, low, high]), ...marks].filter(known);
  if (values.length === 0) return null;
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) [low, high] = [low - 1, high + 1];
  return { low, high, at: (value) => PAD + ((value - low) / (high - low)) * (WIDTH - 2 * PAD) };
}

/** Draw one interval; `mark` is a value to compare with, such as zero. */
function Interval({ row, scale, mark }) {
  const inside = known(mark) && mark >= scale.low && mark <= scale.high;
  return html`<svg class="interval" viewBox=${`0 0 ${WIDTH} 22`} aria-hidden="true">
    ${inside && html`<line class="interval-mark" x1=${scale.at(mark)} x2=${scale.at(mark)} y1="0" y2="22" />`}
    ${known(row.low) && known(row.high) && html`<g class="interval-range">
      <line x1=${scale.at(row.low)} x2=${scale.at(row.high)} y1="11" y2="11" />
      <line x1=${scale.at(row.low)} x2=${scale.at(row.low)} y1="6" y2="16" /><line x1=${scale.at(row.high)} x2=${scale.at(row.high)} y1="6" y2="16" /></g>`}
    ${known(row.value) && html`<circle class="interval-dot" cx=${scale.at(row.value)} cy="11" r="4.5" />`}
  </svg>`;
}

function Axis({ scale }) {
  const ticks = Array.from({ length: TICKS }, (_, k) => scale.low + ((scale.high - scale.low) * k) / (TICKS - 1));
  return html`<div class="interval-axis small muted" aria-hidden="true">${ticks.map((tick) => html`<span key=${tick}>${short(tick)}</span>`)}</div>`;
}

export const intervalText = ({ low, high }) => (known(low) && known(high) ? `${short(low)} to ${short(high)}` : "–");

/**
 * A forest plot that is a table.
 * @param props caption; rows: [{name, value, low, high, cells}]; value: what the number is called;
 *   range: what its interval is; columns: titles of `cells`; mark: a value to compare with
 */
export function IntervalTable({ caption, rows, value, range = "95 % interval", columns = [], mark }) {
  const scale = scaleOf(rows, known(mark) ? [mark] : []);
  return html`<div class="table-room" tabindex="0" role="region" aria-label=${caption}><table class="interval-table">
    <caption>${caption}</caption>
    <thead><tr><th scope="col"></th><th scope="col" class="number">${value}</th><th scope="col" class="number">${range}</th>
      <th scope="col" class="interval-cell">${scale && html`<${Axis} scale=${scale} />`}<span class="hidden">Picture</span></th>
      ${columns.map((title) => html`<th scope="col" key=${title} class="number">${title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.name}><th scope="row">${row.name}</th>
      <td class="number" data-value=${row.value}>${short(row.value)}</td>
      <td class="number" data-low=${row.low} data-high=${row.high}>${intervalText(row)}</td>
      <td class="interval-cell">${scale && html`<${Interval} row=${row} scale=${scale} mark=${mark} />`}</td>
      ${(row.cells ?? []).map((cell, k) => html`<td key=${k} class="number">${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

const SIGNS = { better: "▲", worse: "▼", "not distinguishable": "=" };

/** Say a verdict, with a sign and a colour of its own. */
export function Verdict({ verdict }) {
  return html`<span class=${`verdict verdict-${verdict.replaceAll(" ", "-")}`}><span aria-hidden="true">${SIGNS[verdict] ?? ""}</span> ${verdict}</span>`;
}

export function pText(value) {
  if (!known(value)) return "–";
  return value < 0.0001 ? "< 0.0001" : short(value);
}

export const percent = (value) => (known(value) ? `${Math.round(100 * value)} %` : "–");
