// What the config is by now: valid or not, what differs from the preset, and how to write it.
import { Fragment, html, useState } from "../lib/html.js";
import { Copy } from "../lib/ui.js";
import { changedRows } from "./state.js";
import { same, valueAt } from "./values.js";

const WAYS = [["yaml", "YAML"], ["command", "CLI"], ["python", "Python"]];
const MOST_SHOWN = 60; // characters of a value

function brief(value) {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Say whether the server takes the config, and lead to what it refuses. */
export function Verdict({ form, desk }) {
  const { validation, fresh } = form;
  const state = !validation ? "checking" : validation.valid ? "valid" : "refused";
  const lines = state === "refused" ? desk.problems : [];
  return html`<section class=${`panel verdict verdict-${state}`} aria-label="Validation" data-fresh=${fresh ? "yes" : "no"}>
    <p role="status"><strong>${state === "valid" ? "✓ Valid" : state === "refused" ? `✗ ${count(lines.length)} refused` : "Checking …"}</strong>
      ${state === "valid" && html` <code class="hash" title="Hash of the config: the same hash is the same game" data-hash=${validation.config_hash}>${validation.config_hash}</code>`}</p>
    ${lines.length > 0 && html`<ul>${lines.map(({ path, message }) => html`<li key=${path + message}>
      ${path ? html`<button type="button" class="plain link" onClick=${() => desk.jump(path)}><code>${path}</code></button>` : ""}
      <span>${message}</span></li>`)}</ul>`}
  </section>`;
}

const count = (number) => (number === 1 ? "1 value" : `${number} values`);

/** Show what differs from the preset, with a way back for each. */
export function Changes({ form, desk }) {
  const rows = changedRows(form);
  return html`<section class="panel changes-panel" aria-labelledby="changes-title">
    <div class="row"><h2 id="changes-title">Changes</h2>
      ${rows.length > 0 && html`<button type="button" class="small" onClick=${desk.changes.reset}>Take back all</button>`}</div>
    ${rows.length === 0 ? html`<p class="muted small">Nothing differs from the preset. Turn a dial, or change a field.</p>`
    : html`<div class="table-room" tabindex="0" role="region" aria-label="What differs from the preset"><table class="changes">
      <thead><tr><th>field</th><th>preset</th><th>now</th><th><span class="hidden">take back</span></th></tr></thead>
      <tbody>${rows.map((row) => html`<${Change} key=${row.path} row=${row} form=${form} desk=${desk} />`)}</tbody></table></div>`}
  </section>`;
}

/** Write a path that may be broken at its dots. */
const breakable = (keys) => keys.map((key, k) => html`<${Fragment} key=${k}>${k > 0 && html`.<wbr />`}${key}<//>`);

function Change({ row, form, desk }) {
  const own = desk.changes.isSet(row.keys);
  const why = same(valueAt(form.base, row.keys), row.value) ? "by archetype or variant" : "follows";
  return html`<tr data-change=${row.path}>
    <td><button type="button" class="plain link" onClick=${() => desk.jump(row.path)}><code>${breakable(row.keys)}</code></button></td>
    <td>${brief(row.preset)}</td>
    <td>${brief(row.value)}${!own && html`<div class="muted small">${why}</div>`}</td>
    <td>${own && html`<button type="button" class="plain small back" aria-label=${`Take back ${row.path}`}
      title="Take back" onClick=${() => desk.changes.back(row.keys)}>↺</button>`}</td></tr>`;
}

/** Show the config as YAML, as a command or as Python, to be copied. */
export function Written({ validation }) {
  const [way, setWay] = useState("command");
  const text = validation?.valid ? validation.written[way] : "";
  return html`<section class="panel written-panel" aria-labelledby="written-title">
    <div class="row"><h2 id="written-title">Copy</h2>
      <div class="row" role="group" aria-label="Written as">${WAYS.map(([name, title]) => html`<button key=${name} type="button"
        class="small" aria-pressed=${way === name} onClick=${() => setWay(name)}>${title}</button>`)}</div></div>
    ${text ? html`<pre class="written" tabindex="0" aria-label=${`The config as ${way}`}>${text}</pre>
      <${Copy} text=${text}>Copy ${WAYS.find(([name]) => name === way)[1]}<//>`
    : html`<p class="muted small">A refused config cannot be copied.</p>`}
  </section>`;
}
