// The seven dials: how far each dimension of complexity is turned up, and what it touches here.
import { post } from "../lib/api.js";
import { html, useId, useState } from "../lib/html.js";
import { Fault } from "../lib/ui.js";
import { countProblems } from "./problems.js";
import { valueAt } from "./values.js";
import { readNumber } from "./widget.js";

const STEP = 0.05;
const keysOf = (layer) => ["layers", layer, "intensity"];

/** Ask what a layer touches when it is turned up all the way. */
async function askNotes(asked, layer) {
  const overrides = { ...asked.overrides, [keysOf(layer).join(".")]: 1 };
  const answer = await post("configs/validate", { ...asked, overrides });
  return answer.valid ? answer.layers.filter((note) => note.layer === layer) : [];
}

function Notes({ notes }) {
  return html`<ul class="notes small">${notes.map(({ what, how }) => html`<li key=${what + how}><code>${what}</code> ${how}</li>`)}</ul>`;
}

/** What a layer does to this world: as it is turned, or as it would be. */
function Touched({ layer, form, desk, value, notes }) {
  const [would, setWould] = useState({});
  const look = (event) => {
    if (!event.target.open || value > 0) return;
    askNotes(form.asked, layer.name).then((found) => setWould({ found }), (error) => setWould({ error }));
  };
  const shown = value > 0 ? notes : would.found;
  const count = value > 0 ? `${notes.length} ${notes.length === 1 ? "thing" : "things"} touched` : "what it would touch";
  return html`<details class="touched" onToggle=${look}>
    <summary class="small">${count}</summary>
    <${Fault} error=${would.error} />
    ${shown && shown.length > 0 && html`<${Notes} notes=${shown} />`}
    ${shown && shown.length === 0 && html`<p class="small muted">Nothing is set for it in this preset: take an archetype, or
      <button type="button" class="plain small link" onClick=${() => desk.jump(`layers.${layer.name}`)}>open its settings</button>.</p>`}
  </details>`;
}

function Dial({ layer, form, desk }) {
  const id = useId();
  const keys = keysOf(layer.name);
  const value = valueAt(form.config, keys);
  const number = typeof value === "number" ? value : 0;
  const notes = (form.validation?.layers ?? []).filter((note) => note.layer === layer.name);
  const wrong = countProblems(desk.problems, keys.join("."));
  const turn = (event) => desk.changes.set(keys, readNumber(event.target.value, false));
  return html`<div class="dial" data-dial=${layer.name} data-on=${number > 0 ? "yes" : undefined} data-wrong=${wrong ? "yes" : undefined}>
    <div class="dial-head"><label for=${id}>${layer.name}</label><output for=${id}>${number}</output></div>
    <input id=${id} type="range" min="0" max="1" step=${STEP} value=${number} onInput=${turn}
      aria-describedby=${`${id}-about`} />
    <p id=${`${id}-about`} class="small muted">${layer.controls}. Touches ${layer.touches.join(", ")}.</p>
    <${Touched} layer=${layer} form=${form} desk=${desk} value=${number} notes=${notes} />
  </div>`;
}

/** Show a dial for each layer. */
export function Dials({ layers, form, desk }) {
  return html`<section class="panel" aria-labelledby="dials-title">
    <h2 id="dials-title">Dials</h2>
    <p class="muted small">Seven layers lie over the world. A dial says how much of a layer's settings counts: 0 is none of it, 1 all of it.</p>
    <div class="dials">${layers.map((layer) => html`<${Dial} key=${layer.name} layer=${layer} form=${form} desk=${desk} />`)}</div>
  </section>`;
}
