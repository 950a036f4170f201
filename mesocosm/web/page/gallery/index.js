// The gallery: every world with its presets, each with a picture that moves when pointed at.
import { html, useMemo, useState } from "../lib/html.js";
import { Fault, useAnswer } from "../lib/ui.js";
import { PresetCard } from "./card.js";
import { matches, words } from "./search.js";
import { sentenceOf } from "./sentence.js";

/** Say what this is, in a sentence, and where to begin. */
function Welcome({ found, text, setText }) {
  return html`<section class="welcome">
    <div>
      <h1>Small worlds for many agents</h1>
      <p class="lead">Mesocosm is a set of multi-agent worlds you can watch step by step, change in every
        rule, train policies in, and replay to the bit. Point at a picture to see it move; choose Watch to see it run.</p>
    </div>
    <label class="search"><span class="hidden">Search worlds and presets</span>
      <input type="search" value=${text} placeholder="Search worlds and presets"
        onInput=${(event) => setText(event.target.value)} />
      <span class="muted small" role="status">${found}</span>
    </label>
  </section>`;
}

function World({ world, presets }) {
  const id = `world-${world.name}`;
  return html`<section class="world" aria-labelledby=${id}>
    <header>
      <h2 id=${id}>${world.name}</h2>
      <p class="muted">${sentenceOf(world.summary)}</p>
    </header>
    <ul class="cards">${presets.map((preset) => html`<${PresetCard} key=${preset.name} preset=${preset} />`)}</ul>
  </section>`;
}

/** Cards that stand where the real ones will, so that nothing jumps. */
function Skeleton() {
  return html`<ul class="cards" aria-hidden="true">
    ${[0, 1, 2, 3, 4, 5].map((k) => html`<li key=${k} class="card">
      <div class="card-picture skeleton"></div><div class="card-body"><p class="skeleton line"></p></div></li>`)}
  </ul>`;
}

export default function Gallery() {
  const { data: worlds, error } = useAnswer("worlds");
  const [text, setText] = useState("");
  const shown = useMemo(() => (worlds ?? []).map((world) => ({
    world, presets: inOrder(world.presets).filter((preset) => matches(words(text), world, preset)),
  })).filter(({ presets }) => presets.length > 0), [worlds, text]);
  const count = shown.reduce((sum, { presets }) => sum + presets.length, 0);
  const found = worlds ? `${count} ${count === 1 ? "preset" : "presets"} in ${shown.length} ${shown.length === 1 ? "world" : "worlds"}` : "";
  return html`<div class="gallery">
    <${Welcome} found=${found} text=${text} setText=${setText} />
    <${Fault} error=${error} />
    ${!worlds && !error && html`<${Skeleton} />`}
    ${shown.map((entry) => html`<${World} key=${entry.world.name} ...${entry} />`)}
    ${worlds && count === 0 && html`<div class="panel nothing"><p>No preset has “${text}” in its name or its sentence.</p>
      <button type="button" onClick=${() => setText("")}>Show all presets</button></div>`}
  </div>`;
}

/** Put the preset that stands for a world first. */
function inOrder(presets) {
  return [...presets].sort((one, other) => Number(other.default) - Number(one.default));
}
