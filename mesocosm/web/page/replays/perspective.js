// Choose whose eyes to look through: everything, or one agent's.
import { AgentOptions } from "../lib/agents.js";
import { html } from "../lib/html.js";

export function PerspectiveChoice({ value, roles, onChange }) {
  return html`<label>Perspective <select value=${value} onChange=${(event) => onChange(event.target.value)}>
    <option value="everything">everything</option>
    ${!roles && value !== "everything" && html`<option value=${value}>${value}</option>`}
    <${AgentOptions} roles=${roles ?? []} />
  </select></label>`;
}
