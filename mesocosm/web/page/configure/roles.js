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

const MOST_OPTIONS = 40; // of an action, that are listed

function rangeOf({ range, low, high, unit }) {
  const [least, most] = range ?? [low, high];
  return least === undefined ? "" : `${short(least)} to ${short(most)}${unit ? ` ${unit}` : ""}`;
}

function optionsOf(row) {
  if (!Array.isArray(row.options)) return rangeOf(row);
  const more = row.options.length - MOST_OPTIONS;
  return row.options.slice(0, MOST_OPTIONS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const sizeOf = ({ shape }) => (shape.length > 0 ? shape.join(" × ") : "1");
const NAME = ["name", (row) => html`<code>${row.name ?? row.part}</code>`];
const MEANING = ["meaning", (row) => row.meaning ?? ""];
const SEEN = [NAME, ["numbers", sizeOf], ["range", rangeOf], ["who else sees it", (row) => row.visibility], MEANING];

/** Count things: 1 agent, 2 agents. */
const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

function Role({ role }) {
  const last = role.first + role.num_agents - 1;
  const numbers = role.num_agents === 1 ? role.first : `${role.first} to ${last}`;
  const facts = [`${many(role.num_agents, "agent")} (${numbers})`,
    `${many(role.features.length, "feature")} as ${role.dtype} [${role.shape.join(" × ")}]`,
    many(role.parts.length, "action part"), many(role.terms.length, "reward term")];
  return html`<details class="role"><summary><strong>${role.name}</strong>
      <span class="muted small">${facts.join(" · ")}</span></summary>
    <p>${role.meaning}</p>
    <${Table} title=${`What a ${role.name} sees`} rows=${role.features} columns=${SEEN} none="Nothing." />
    <${Table} title=${`What a ${role.name} is told beside it`} rows=${role.info} columns=${SEEN} none="Nothing." />
    <${Table} title=${`What a ${role.name} does`} rows=${role.parts} columns=${[NAME, ["options", optionsOf], MEANING]} none="Nothing." />
    <${Table} title=${`What a ${role.name} earns`} rows=${role.terms} columns=${[NAME, ["range", rangeOf], MEANING]} none="Nothing." />
  </details>`;
}

/** List the roles; each opens. */
export function Roles({ roles }) {
  return html`<section class="panel roles-panel" aria-labelledby="roles-title"><h2 id="roles-title">Who sees, does and earns what</h2>
    ${roles.map((role) => html`<${Role} key=${role.name} role=${role} />`)}</section>`;
}
