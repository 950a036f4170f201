// The recorded runs of the runs folder: filter, sort, and turn pages.
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { link, note } from "../lib/route.js";
import { Badge, Fault, Loading, useAnswer } from "../lib/ui.js";
import { count, when } from "../lib/format.js";
import { proofs, wordOf } from "./proofs.js";

const PAGE = 50;
const COLUMNS = [
  { key: "name", title: "Name" },
  { key: "kind", title: "Kind" },
  { key: "preset", title: "Preset" },
  { key: "status", title: "Status" },
  { key: "steps", title: "Steps", number: true },
  { key: "started", title: "Recorded" },
];

/** Keep the recordings whose name, kind, preset or status has all words. */
function filterRows(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ name, kind, preset, status }) => {
    const all = `${name} ${kind} ${preset} ${status}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

function sortRows(rows, key, down) {
  const sign = down ? -1 : 1;
  const compare = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  return rows.map((row, place) => [row, place])
    .sort(([a, i], [b, j]) => sign * compare(a[key], b[key]) || i - j)
    .map(([row]) => row);
}

function Heading({ column, sort, down, onSort }) {
  const on = sort === column.key;
  return html`<th scope="col" class=${column.number ? "number" : ""}
      aria-sort=${on ? (down ? "descending" : "ascending") : "none"}>
    <button type="button" class="plain sort" onClick=${() => onSort(column.key)}>
      ${column.title}<span class="sort-sign" aria-hidden="true">${on ? (down ? "▾" : "▴") : ""}</span></button></th>`;
}

function Row({ row }) {
  const proof = proofs.value[row.name];
  return html`<tr>
    <th scope="row"><a href=${link("replays", row.name)}>${row.name}</a></th>
    <td>${row.kind}</td>
    <td>${row.preset || "–"}${row.changed ? html` <span class="muted">(changed)</span>` : ""}</td>
    <td><${Badge} status=${row.status} />${" "}${proof && html`<${Badge} status=${wordOf(proof)} />`}
      ${row.error && html`<div class="small muted clip" title=${row.error}>${row.error}</div>`}</td>
    <td class="number steps">${count(row.steps)}</td>
    <td>${when(row.started)}</td>
  </tr>`;
}

function Pages({ page, pages, onPage }) {
  if (pages < 2) return null;
  return html`<nav class="row pages" aria-label="Pages">
    <button type="button" disabled=${page < 1} onClick=${() => onPage(page - 1)}>Previous page</button>
    <span>Page ${page + 1} of ${pages}</span>
    <button type="button" disabled=${page >= pages - 1} onClick=${() => onPage(page + 1)}>Next page</button>
  </nav>`;
}

function Empty({ filter }) {
  if (filter) return html`<p class="panel">No recorded run has “${filter}” in its name, kind, preset or status.</p>`;
  return html`<div class="panel"><p>No run was recorded into this runs folder yet.</p>
    <p>Start one from <a href=${link("gallery")}>Worlds</a>: it is recorded while it plays. Or record one with a command:</p>
    <pre tabindex="0" aria-label="Command">mesocosm run PRESET --out runs/first</pre></div>`;
}

export function RecordingList({ query }) {
  const { data, error, loading, again } = useAnswer("replays");
  const [shown, setShown] = useState(query);
  useEffect(() => setShown(query), [query]);
  const { filter = "", sort = "started" } = shown;
  const down = (shown.order ?? (sort === "started" ? "down" : "up")) === "down";
  const rows = useMemo(() => data && sortRows(filterRows(data, filter), sort, down), [data, filter, sort, down]);
  const pages = Math.max(Math.ceil((rows?.length ?? 0) / PAGE), 1);
  const page = Math.min(Math.max(Number(shown.page ?? 1) - 1, 0) || 0, pages - 1);
  const move = (change) => {
    const next = { ...shown, page: undefined, ...change };
    setShown(next);
    note("replays", next);
  };
  const onSort = (key) => move({ sort: key, order: key !== sort ? undefined : down ? "up" : "down" });
  const onPage = (number) => move({ page: number ? number + 1 : undefined });
  return html`<section class="replays" aria-labelledby="replays-title">
    <h1 id="replays-title">Replays</h1>
    <div class="row tools">
      <label class="grow">Filter <input type="search" value=${filter} placeholder="name, kind, preset or status"
        onInput=${(event) => move({ filter: event.target.value })} /></label>
      <label class="sort-choice">Sort by <select value=${sort} onChange=${(event) => onSort(event.target.value)}>
        ${COLUMNS.map(({ key, title }) => html`<option key=${key} value=${key}>${title}</option>`)}</select></label>
      <button type="button" onClick=${again}>Read again</button>
      <span class="muted" role="status">${rows ? `${count(rows.length)} of ${count(data.length)} recorded runs` : ""}</span>
    </div>
    <${Fault} error=${error} />
    ${loading && !error && html`<${Loading} what="Reading the runs folder" />`}
    ${rows && rows.length === 0 && html`<${Empty} filter=${filter} />`}
    ${rows && rows.length > 0 && html`<div class="table-room panel">
      <table class="recordings"><caption class="hidden">Recorded runs</caption>
        <thead><tr>${COLUMNS.map((column) => html`<${Heading} key=${column.key} column=${column}
          sort=${sort} down=${down} onSort=${onSort} />`)}</tr></thead>
        <tbody>${rows.slice(page * PAGE, (page + 1) * PAGE).map((row) => html`<${Row} key=${row.name} row=${row} />`)}</tbody>
      </table></div>`}
    <${Pages} page=${page} pages=${pages} onPage=${onPage} />
    ${data?.length >= 1000 && html`<p class="muted small">The newest 1,000 runs are listed.</p>`}
  </section>`;
}
