// The agents of a world as choices, under the names of their roles.
import { html } from "./html.js";

const agentsOf = ({ first, num_agents: number }) => Array.from({ length: number }, (_, k) => first + k);

/** The options of a list in which an agent is chosen; each has the value "agent K". */
export function AgentOptions({ roles }) {
  return roles.map((role) => html`<optgroup key=${role.name} label=${role.name}>
    ${agentsOf(role).map((agent) => html`<option key=${agent} value=${`agent ${agent}`}>agent ${agent}</option>`)}
  </optgroup>`);
}
