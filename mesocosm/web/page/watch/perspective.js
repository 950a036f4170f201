// Whose eyes one looks through, and whom the picture follows.
import { AgentOptions } from "../lib/agents.js";
import { html } from "../lib/html.js";
import { EVERYTHING, agentOf } from "./store.js";

/** Choose a perspective, whom to follow, and whether to take over. */
export function Perspective({ run }) {
  const roles = run.detail.value?.roles ?? [];
  const perspective = run.perspective.value;
  const agent = agentOf(perspective);
  const isMine = run.mayPlay(agent);
  const isOther = !isMine && agent !== null && run.status.value?.taken?.includes(agent);
  return html`<div class="row perspective">
    <label>See <select class="see" value=${perspective} disabled=${run.hasEnded}
        title=${run.hasEnded ? "The run has ended: its recording shows every perspective" : ""} onChange=${(event) => run.watch(event.target.value)}>
      <option value=${EVERYTHING}>everything</option>
      <${AgentOptions} roles=${roles} /></select></label>
    ${agent === null && html`<label>Follow <select value=${run.follow.value}
        onChange=${(event) => { run.follow.value = event.target.value; }}>
      <option value="">nobody</option><${AgentOptions} roles=${roles} /></select></label>`}
    ${agent !== null && !run.isReplay && html`<button type="button" class=${isMine ? "release" : "main take"}
        disabled=${run.hasEnded || isOther} onClick=${() => (isMine ? run.release(agent) : run.take(agent))}>
      ${isMine ? "Release" : isOther ? "Somebody plays" : "Take over"} agent ${agent}</button>`}
  </div>`;
}
