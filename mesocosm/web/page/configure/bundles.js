// Archetypes (settings of several layers under one name) and mission variants, as chips.
import { html, useId } from "../lib/html.js";

const nameOf = (text) => text.split(":")[0];
const dialOf = (text) => Number(text.split(":")[1] ?? 1);

function Strength({ text, set }) {
  const id = useId();
  const name = nameOf(text);
  return html`<div class="row strength"><label class="small" for=${id}>${name}, how much</label>
    <input id=${id} type="range" min="0.05" max="1" step="0.05" value=${dialOf(text)}
      onInput=${(event) => set(Number(event.target.value) === 1 ? name : `${name}:${event.target.value}`)} />
    <output for=${id} class="small">${dialOf(text)}</output></div>`;
}

function Refused({ refused }) {
  if (refused.length === 0) return null;
  return html`<details class="refused"><summary class="small">${refused.length} more do not fit this preset</summary>
    <dl class="small">${refused.map((one) => html`<div key=${one.name}><dt>${one.name}</dt>
      <dd>${one.summary}. <span class="why">${reasonOf(one.refused)}</span></dd></div>`)}</dl></details>`;
}

const reasonOf = (text) => text.replace(/^[^:]*: archetypes?[^:]*: /, "");

/** Choose archetypes. */
export function Archetypes({ all, chosen, set }) {
  const names = chosen.map(nameOf);
  const fitting = all.filter((one) => !one.refused || names.includes(one.name));
  const toggle = (name) => set(names.includes(name) ? chosen.filter((text) => nameOf(text) !== name) : [...chosen, name]);
  return html`<section class="panel" aria-labelledby="archetypes-title">
    <h2 id="archetypes-title">Archetypes</h2>
    <p class="muted small">Ready settings of the layers. They go on the preset; your own changes go on them.</p>
    <div class="chips">${fitting.map((one) => html`<button key=${one.name} type="button" class="chip"
      aria-pressed=${names.includes(one.name)} onClick=${() => toggle(one.name)}>
      <span class="chip-name">${one.name}</span> <span class="small">${one.summary}</span></button>`)}</div>
    ${chosen.map((text) => html`<${Strength} key=${nameOf(text)} text=${text}
      set=${(changed) => set(chosen.map((other) => (other === text ? changed : other)))} />`)}
    <${Refused} refused=${all.filter((one) => one.refused && !names.includes(one.name))} />
  </section>`;
}

/** Choose mission variants, where a world has some. */
export function Variants({ all, chosen, set }) {
  if (all.length === 0) return null;
  const toggle = (name) => set(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return html`<section class="panel" aria-labelledby="variants-title">
    <h2 id="variants-title">Mission variants</h2>
    <div class="chips">${all.map((name) => html`<button key=${name} type="button" class="chip"
      aria-pressed=${chosen.includes(name)} onClick=${() => toggle(name)}>${name}</button>`)}</div>
  </section>`;
}
