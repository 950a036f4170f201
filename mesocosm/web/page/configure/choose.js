// Which preset to configure, when the address names none.
import { draft, isChanged } from "../lib/draft.js";
import { html } from "../lib/html.js";
import { go, link } from "../lib/route.js";
import { Fault, Loading } from "../lib/ui.js";

const placeOf = (name) => link("configure", ...name.split("/"));

/** Choose another preset. */
export function PresetSelect({ worlds, value }) {
  return html`<label class="row preset-select"><span class="small muted">Preset</span>
    <select value=${value} onChange=${(event) => go("configure", ...event.target.value.split("/"))}>
      ${worlds.map((world) => html`<optgroup key=${world.name} label=${world.name}>
        ${world.presets.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</optgroup>`)}
    </select></label>`;
}

/** List all presets to begin from. */
export function Chooser({ worlds, error }) {
  if (error) return html`<${Fault} error=${error} />`;
  if (!worlds) return html`<${Loading} what="Looking for presets" />`;
  const open = draft.value;
  return html`<div class="chooser"><h1>Configure</h1>
    <p class="muted">Choose a preset to begin from. Every value of it can be changed.</p>
    ${open.preset && isChanged(open) && html`<p class="panel">You have changes on <a href=${placeOf(open.preset)}>${open.preset}</a>.</p>`}
    ${worlds.map((world) => html`<section key=${world.name}><h2>${world.name}</h2><ul>
      ${world.presets.map((preset) => html`<li key=${preset.name}><a href=${placeOf(preset.name)}>${preset.name}</a>
        <span class="muted small">${preset.sentence}</span></li>`)}</ul></section>`)}
  </div>`;
}
