// What each role sees, does and earns in the config as it is.
import { html } from "../lib/html.js";
import { short } from "../lib/ui.js";

function Table({ title, rows, columns, none }) {
  if (rows.length === 0) return html`<h4>${title}</h4><p class="muted small">${none}</p>`;
  return html`<h4>${title} <span class="muted small">${rows.length}</span></h4>
    <div class="table-room role-table" tabindex="0" role="region" aria-label=${title}><table>
      <thead><tr>${columns.map(([name]) => html`<th key=${name}>${name}</th>`)}</tr></thead>
      <tbody>${rows.map((row, k) => html`<tr key=${k}>${columns.map(([name, read]) => html`<td key=${name}>${read(row)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

const range = (row) => (row.low === undefined && row.high === undefined ? "" : `${short(row.low)} to ${short(row.high)}`);
const optionsOf = (row) => (Array.isArray(row.options) ? row.options.join(", ") : range(row));
const NAME = ["name", (row) => html`<code>${row.name}</code>`];
const MEANING = ["meaning", (row) => row.meaning ?? ""];

function Role({ role }) {
  const last = role.first + role.num_agents - 1;
  return html`<details class="role"><summary><strong>${role.name}</strong>
      <span class="muted small">${role.num_agents} ${role.num_agents === 1 ? `agent (${role.first})` : `agents (${role.first} to ${last})`} ·
        ${role.features.length} features as ${role.dtype} [${role.shape.join(" × ")}] · ${role.parts.length} action parts · ${role.terms.length} reward terms</span></summary>
    <p>${role.meaning}</p>
    <${Table} title=${`What a ${role.name} sees`} rows=${role.features} columns=${[NAME, ["size", (row) => (row.shape ? [row.shape].flat().join(" × ") : row.size ?? "")], ["range", range], MEANING]} none="Nothing." />
    <${Table} title=${`What a ${role.name} does`} rows=${role.parts} columns=${[NAME, ["options", optionsOf], MEANING]} none="Nothing." />
    <${Table} title=${`What a ${role.name} earns`} rows=${role.terms} columns=${[NAME, ["range", range], MEANING]} none="Nothing." />
  </details>`;
}

/** List the roles; each opens. */
export function Roles({ roles }) {
  return html`<section class="panel roles-panel" aria-labelledby="roles-title"><h2 id="roles-title">Who sees, does and earns what</h2>
    ${roles.map((role) => html`<${Role} key=${role.name} role=${role} />`)}</section>`;
}
