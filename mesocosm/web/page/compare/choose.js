// Choose recorded runs: search, kinds, and what is chosen already.
import { html, useState } from "../lib/html.js";
import { Badge } from "../lib/ui.js";

const MOST = 200; // rows that are listed at a time
export const KINDS = { training: "training", trainings: "trainings of several seeds", evaluate: "evaluation", tournament: "tournament", run: "run", match: "match" };

export function Chooser({ recorded, chosen, onChoose }) {
  const [text, setText] = useState("");
  const [kind, setKind] = useState("");
  const kinds = [...new Set(recorded.map((run) => run.kind))];
  const found = recorded.filter((run) => run.kind in KINDS && (!kind || run.kind === kind)
    && `${run.name} ${run.preset}`.toLowerCase().includes(text.toLowerCase()));
  const toggle = (name) => onChoose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return html`<section class="panel compare-choose" aria-labelledby="choose-title">
    <h2 id="choose-title">Recorded runs</h2>
    ${chosen.length > 0 && html`<ul class="compare-chosen" aria-label="Chosen runs">${chosen.map((name) => html`<li key=${name}>
      <button type="button" onClick=${() => toggle(name)} aria-label=${`Take ${name} away`}>${name} ✕</button></li>`)}</ul>`}
    ${recorded.length === 0
      ? html`<p class="muted">The runs folder is empty. Train something, play a run, or start an evaluation.</p>`
      : html`<div class="row compare-search"><label class="hidden" for="choose-text">Search by name or preset</label>
        <input id="choose-text" type="search" placeholder="Search by name or preset" value=${text} onInput=${(event) => setText(event.currentTarget.value)} />
        <label class="hidden" for="choose-kind">Kind</label>
        <select id="choose-kind" value=${kind} onChange=${(event) => setKind(event.currentTarget.value)}>
          <option value="">all kinds</option>${kinds.filter((name) => name in KINDS).map((name) => html`<option key=${name} value=${name}>${KINDS[name]}</option>`)}
        </select></div>
      <div class="compare-list" tabindex="0" role="region" aria-label="Recorded runs"><ul>${found.slice(0, MOST).map((run) => html`<li key=${run.name}>
        <label><input type="checkbox" checked=${chosen.includes(run.name)} onChange=${() => toggle(run.name)} />
          <span class="compare-name">${run.name}<span class="muted small"> ${KINDS[run.kind]} · ${run.preset}</span></span>
          ${run.status !== "finished" && html`<${Badge} status=${run.status} />`}</label></li>`)}</ul>
        ${found.length === 0 && html`<p class="muted">No run fits.</p>`}
        ${found.length > MOST && html`<p class="muted small">${MOST} of ${found.length}: search for the others.</p>`}</div>`}
  </section>`;
}
