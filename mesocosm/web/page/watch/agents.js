// All agents: what they earned, for what, and what they did.
import { html } from "../lib/html.js";
import { short } from "../lib/ui.js";
import { sayAction } from "./action.js";
import { Chances } from "./chances.js";

function state(agent) {
  if (agent.ended) return agent.reason || "out";
  return agent.taken ? "played by a person" : agent.acting ? "" : "not its turn";
}

function Line({ run, agent, many }) {
  const key = `agent ${agent.agent}`;
  const isSelected = run.selected.value === agent.agent;
  const point = (on) => () => { run.highlight.value = on ? { key } : null; };
  const select = () => { run.selected.value = isSelected ? null : agent.agent; };
  return html`<tr class=${isSelected ? "selected" : ""} onMouseEnter=${point(true)} onMouseLeave=${point(false)}>
    <th scope="row"><button type="button" class="plain pick" aria-pressed=${isSelected} onClick=${select}
      onFocus=${point(true)} onBlur=${point(false)}>${key}</button></th>
    ${many && html`<td>${agent.role}</td>`}
    <td class="number">${short(agent.reward)}</td>
    <td>${!agent.ended && sayAction(run.roleOf(agent.agent), agent.action)} <span class="muted small">${state(agent)}</span></td>
  </tr>`;
}

function Card({ run, agent }) {
  const key = `agent ${agent.agent}`;
  const isFollowed = run.follow.value === key;
  return html`<section class="agent-card" aria-label=${key}>
    <h3>${key}, ${agent.role}</h3>
    <p class="small">Did: ${sayAction(run.roleOf(agent.agent), agent.action)}. Earned ${short(agent.reward)}:
      ${Object.entries(agent.terms).map(([name, value]) => ` ${name} ${short(value)}`).join(",")}.</p>
    <div class="row">
      <button type="button" onClick=${() => run.watch(key)}>See what it receives</button>
      <button type="button" aria-pressed=${isFollowed}
        onClick=${() => { run.follow.value = isFollowed ? "" : key; }}>Follow</button>
      ${!run.isReplay && !run.hasEnded && html`<button type="button" onClick=${() => run.take(agent.agent)}>Take over</button>`}
    </div>
    <${Chances} probabilities=${agent.probabilities} action=${agent.action} role=${run.roleOf(agent.agent)} />
  </section>`;
}

/** List the agents, with the one that is selected on top. */
export function Agents({ run }) {
  const agents = run.calm.value?.agents;
  if (!agents) return null;
  const many = (run.detail.value?.roles.length ?? 0) > 1;
  const selected = agents.find(({ agent }) => agent === run.selected.value);
  return html`<section class="panel agents"><h2>Agents</h2>
    ${selected && html`<${Card} run=${run} agent=${selected} />`}
    <div class="room" tabindex="0" role="region" aria-label="Agents"><table>
      <thead><tr><th>Agent</th>${many && html`<th>Role</th>`}<th class="number">Reward</th><th>Did</th></tr></thead>
      <tbody>${agents.map((agent) => html`<${Line} key=${agent.agent} run=${run} agent=${agent} many=${many} />`)}</tbody>
    </table></div></section>`;
}
