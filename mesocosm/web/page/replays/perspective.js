// Choose whose eyes to look through: everything, or one agent's.
import { html } from "../lib/html.js";

/** List the agents of all roles: [{value: "agent 3", label: "agent 3 · role"}]. */
export function agentsOf(roles) {
  return (roles ?? []).flatMap(({ name, first, num_agents: number }) =>
    Array.from({ length: number }, (_, k) => ({ value: `agent ${first + k}`, label: `agent ${first + k} · ${name}` })));
}

export function PerspectiveChoice({ value, roles, onChange, label = "Perspective" }) {
  const agents = agentsOf(roles);
  const known = value === "everything" || agents.some((agent) => agent.value === value);
  return html`<label>${label} <select value=${value} onChange=${(event) => onChange(event.target.value)}>
    <option value="everything">everything</option>
    ${!known && html`<option value=${value}>${value}</option>`}
    ${agents.map((agent) => html`<option key=${agent.value} value=${agent.value}>${agent.label}</option>`)}
  </select></label>`;
}
