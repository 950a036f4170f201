// What one has to know about a run: that it crashed, ended, is gone, or is out of reach.
import { part, post } from "../lib/api.js";
import { html } from "../lib/html.js";
import { go, link } from "../lib/route.js";
import { Action, Fault, useAnswer } from "../lib/ui.js";
import { agentOf } from "./store.js";

function Recording({ run, fork }) {
  const { data, error } = useAnswer(`replays/${part(run.name)}`);
  if (error?.status === 404) return html`<p>It was not recorded. <a href=${link("gallery")}>Begin a new run</a></p>`;
  if (!data) return html`<${Fault} error=${error} />`;
  const open = async () => {
    const { id } = await post(`replays/${part(run.name)}/open`, { step: data.steps });
    go("watch", id);
  };
  return html`<div class="row">
    <a class="button" href=${link("replays", run.name)}>Its recording (${data.steps} steps)</a>
    ${data.replay && html`<${Action} run=${open}>Watch the recording here<//>`}
    ${data.replay && fork && html`<button type="button" onClick=${() => { run.forking.value = data.steps; }}>Go on from its last step</button>`}
  </div>`;
}

function Ending({ run }) {
  const status = run.status.value;
  if (run.phase.value === "gone") {
    return html`<div class="fault" role="alert"><p><strong>This run is gone.</strong> ${run.gone.value}</p>
      <${Recording} key=${run.phase.value} run=${run} fork=${Boolean(run.detail.value)} /></div>`;
  }
  if (status?.status === "crashed") {
    return html`<div class="fault crash" role="alert"><p><strong>This run crashed</strong> at step ${Math.max(status.step ?? 0, run.frame.value?.step ?? 0)}:</p>
      <pre>${status.error}</pre><${Recording} key=${run.phase.value} run=${run} fork=${Boolean(run.detail.value)} /></div>`;
  }
  if (status?.status === "stopped" || status?.status === "finished") {
    const words = status.kind === "replay" ? "This replay was closed." : `This run has ${status.status === "stopped" ? "been stopped" : "finished"}.`;
    return html`<div class="panel note" role="status"><p>${words}</p>
      ${status.kind !== "replay" && html`<${Recording} key=${run.phase.value} run=${run} fork=${Boolean(run.detail.value)} />`}</div>`;
  }
  return null;
}

function Offer({ run }) {
  const step = run.offer.value;
  if (step === null) return null;
  const forget = () => { run.offer.value = null; };
  const fork = () => { run.forking.value = step; forget(); };
  return html`<div class="panel note row" role="status"><span>Step ${step} is past, and a live run goes forward only.</span>
    <button type="button" class="main" onClick=${fork}>Fork from step ${step}</button>
    <button type="button" onClick=${forget}>Stay here</button></div>`;
}

function Played({ run }) {
  const agent = agentOf(run.perspective.value);
  const others = run.playable.filter((mine) => mine !== agent);
  return others.map((mine) => html`<div class="panel note row" role="status" key=${mine}>
    <span>You play agent ${mine}: the run waits for what it does.</span>
    <button type="button" class="main" onClick=${() => run.watch(`agent ${mine}`)}>Back to agent ${mine}</button>
    <button type="button" onClick=${() => run.release(mine)}>Release it</button></div>`);
}

/** Show notices above the picture. */
export function Notices({ run }) {
  return html`<div class="notices">
    ${run.phase.value === "lost" && html`<p class="fault" role="status">
      <span class="spinner" aria-hidden="true"></span> The connection is lost. Reconnecting …</p>`}
    <${Ending} run=${run} />
    <${Fault} error=${run.problem.value}>${run.problem.value && html`<button type="button" class="plain"
      onClick=${() => { run.problem.value = ""; }}>Dismiss</button>`}<//>
    <${Offer} run=${run} />
    <${Played} run=${run} />
  </div>`;
}
