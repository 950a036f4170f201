// The tables of a run folder, page by page.
import { part } from "../lib/api.js";
import { html, useState } from "../lib/html.js";
import { Fault, Loading, short, useAnswer } from "../lib/ui.js";
import { count } from "../lib/format.js";

const ROWS = 25;

function cell(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : short(value);
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Rows({ rows, label }) {
  const columns = Object.keys(rows[0]);
  const isNumber = (column) => (rows.every((row) => row[column] === null || typeof row[column] === "number") ? "number" : "");
  return html`<div class="table-room" role="region" tabindex="0" aria-label=${label}>
    <table class="rows"><thead><tr>${columns.map((name) => html`<th key=${name} scope="col" class=${isNumber(name)}>${name}</th>`)}</tr></thead>
      <tbody>${rows.map((row, k) => html`<tr key=${k}>${columns.map((name) => html`<td key=${name} class=${isNumber(name)}>
        ${cell(row[name])}</td>`)}</tr>`)}</tbody></table></div>`;
}

function Table({ name, table }) {
  const [after, setAfter] = useState(0);
  const { data, error } = useAnswer(`replays/${part(name)}/tables/${part(table)}`, { after, most: ROWS });
  if (error) return html`<${Fault} error=${error} />`;
  if (!data) return html`<${Loading} what="Reading the table" />`;
  if (data.total === 0) return html`<p class="muted">The table has no rows.</p>`;
  const last = Math.min(after + ROWS, data.total);
  return html`${data.rows.length > 0 && html`<${Rows} rows=${data.rows} label=${`Table ${table}`} />`}
    <nav class="row pages" aria-label="Rows of the table">
      <button type="button" disabled=${after === 0} onClick=${() => setAfter(Math.max(after - ROWS, 0))}>Previous rows</button>
      <span class="small" role="status">rows ${count(after + 1)} to ${count(last)} of ${count(data.total)}</span>
      <button type="button" disabled=${last >= data.total} onClick=${() => setAfter(after + ROWS)}>Next rows</button>
    </nav>`;
}

export function Tables({ name, tables }) {
  const [shown, setShown] = useState(tables[0]);
  return html`<section class="panel tables" aria-labelledby="tables-title">
    <div class="row tools"><h2 id="tables-title">Tables</h2>
      ${tables.map((table) => html`<button key=${table} type="button" aria-pressed=${table === shown}
        onClick=${() => setShown(table)}>${table}</button>`)}</div>
    <${Table} key=${shown} name=${name} table=${shown} />
  </section>`;
}
