// Configure a preset: dials, archetypes, a form from its schema, and what comes of it.
import { part } from "../lib/api.js";
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { useThumbnail } from "../lib/thumbnail.js";
import { Fault, Loading, useAnswer } from "../lib/ui.js";
import { SceneCanvas } from "../scene/index.js";
import { Archetypes, Variants } from "./bundles.js";
import { Chooser, PresetSelect } from "./choose.js";
import { Dials } from "./dials.js";
import { Form } from "./form.js";
import { focusField, readProblems } from "./problems.js";
import { Roles } from "./roles.js";
import { Start } from "./run.js";
import { changesOf, useConfig } from "./state.js";
import { Changes, Verdict, Written } from "./summary.js";

/** What all parts of the form share: schema, problems, which groups are open, the filter. */
function useDesk(form, root) {
  const [opened, setOpened] = useState(() => new Map([["core", true]]));
  const [all, setAll] = useState(false);
  const [filter, setFilter] = useState("");
  const [wanted, setWanted] = useState(null); // a field that is to get the focus
  const problems = useMemo(() => readProblems(form.validation), [form.validation]);
  useEffect(() => {
    if (wanted) focusField(wanted.path);
  }, [wanted]);
  return {
    root, problems, opened, all, filter, setFilter,
    words: filter.toLowerCase().split(/\s+/).filter(Boolean),
    changes: form.asked ? changesOf(form) : null,
    open: (path, on) => setOpened((before) => new Map(before).set(path, on)),
    openAll: (on) => { setAll(on); setOpened(new Map()); },
    jump: (path) => {
      const keys = path.split(".");
      setFilter("");
      setOpened((before) => keys.reduce((made, _, k) => made.set(keys.slice(0, k + 1).join("."), true), new Map(before)));
      setWanted({ path });
    },
  };
}

function Head({ worlds, preset }) {
  const [world, name] = preset.name.split("/");
  const { data } = useThumbnail(world, name, true);
  return html`<header class="configure-head">
    <div class="configure-picture" aria-hidden="true">${data?.scene && html`<${SceneCanvas} scene=${data.scene}
      drawings=${data.drawings} controls=${false} />`}</div>
    <div><h1>${world} <span class="muted">/</span> ${name}</h1>
      <p>${preset.sentence}</p><${PresetSelect} worlds=${worlds} value=${preset.name} /></div>
  </header>`;
}

function FilterBar({ desk }) {
  return html`<div class="row filter-bar"><label class="filter"><span class="hidden">Find a field</span>
      <input type="search" placeholder="Find a field" value=${desk.filter} onInput=${(event) => desk.setFilter(event.target.value)} /></label>
    <button type="button" class="small" onClick=${() => desk.openAll(true)}>Open all</button>
    <button type="button" class="small" onClick=${() => desk.openAll(false)}>Close all</button></div>`;
}

function Editor({ worlds, world, preset }) {
  const { data: root, error: noSchema } = useAnswer(`worlds/${part(world.name)}/schema`);
  const { data: layers = [] } = useAnswer("layers");
  const { data: archetypes = [] } = useAnswer("archetypes", { preset: preset.name });
  const form = useConfig(preset.name);
  const desk = useDesk(form, root);
  const failed = noSchema ?? form.error ?? form.refused?.problems[0]?.message;
  if (!root || !form.config) return failed ? html`<${Fault} error=${failed} />` : html`<${Loading} what="Reading the preset" />`;
  return html`<div class="configure">
    <${Head} worlds=${worlds} preset=${preset} />
    <${Fault} error=${form.error} />
    <div class="configure-main">
      <${Dials} layers=${layers} form=${form} desk=${desk} />
      <${Archetypes} all=${archetypes} chosen=${form.asked.archetypes} set=${desk.changes.archetypes} />
      <${Variants} all=${world.variants} chosen=${form.asked.variants} set=${desk.changes.variants} />
      <section class="panel fields-panel" aria-labelledby="fields-title"><h2 id="fields-title">All fields</h2>
        <${FilterBar} desk=${desk} /><${Form} desk=${desk} config=${form.config} /></section>
      <${Roles} roles=${form.validation?.roles ?? []} />
    </div>
    <div class="configure-side">
      <${Verdict} form=${form} desk=${desk} />
      <${Start} form=${form} preset=${preset} />
      <${Changes} form=${form} desk=${desk} />
      <${Written} validation=${form.validation} />
    </div>
  </div>`;
}

export default function Configure({ path }) {
  const { data: worlds, error } = useAnswer("worlds");
  const [worldName, presetName] = path;
  if (!worldName || !worlds) return html`<${Chooser} worlds=${worlds} error=${error} />`;
  const world = worlds.find(({ name }) => name === worldName);
  const preset = world?.presets.find((one) => (presetName ? one.name === `${worldName}/${presetName}` : one.default));
  if (!preset) return html`<${Fault} error=${`there is no preset '${path.join("/")}'`} /><${Chooser} worlds=${worlds} />`;
  return html`<${Editor} key=${preset.name} worlds=${worlds} world=${world} preset=${preset} />`;
}
