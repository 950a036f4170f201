// Begin a run or a training with the config as it is.
import { post } from "../lib/api.js";
import { html, useId, useState } from "../lib/html.js";
import { go } from "../lib/route.js";
import { Action, useAnswer } from "../lib/ui.js";
import { readNumber } from "./widget.js";

const SPEEDS = [[1, "1 step per second"], [5, "5 steps per second"], [20, "20 steps per second"], [0, "as fast as it goes"]];
const KINDS = { scripted: "Scripted", trained: "Trained, part of the world", given: "Given to the server", bundle: "Bundles of the runs folder" };

function PolicyChoice({ role, policies, value, set }) {
  const id = useId();
  const kinds = [...new Set(policies.map(({ kind }) => kind))];
  return html`<div class="pair"><label for=${id}>${role.name} <span class="muted small">× ${role.num_agents}</span></label>
    <select id=${id} value=${value} onChange=${(event) => set(event.target.value)}>
      ${kinds.map((kind) => html`<optgroup key=${kind} label=${KINDS[kind] ?? kind}>
        ${policies.filter((one) => one.kind === kind).map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</optgroup>`)}
    </select></div>`;
}

/** Choose who plays, how fast and with which seed, and begin. */
export function Start({ form, preset }) {
  const [world] = preset.name.split("/");
  const { data: policies = [] } = useAnswer("policies", { world });
  const [chosen, setChosen] = useState({});
  const [seed, setSeed] = useState("");
  const [speed, setSpeed] = useState(5);
  const id = useId();
  const { validation, fresh, asked } = form;
  const roles = validation?.roles ?? [];
  const ready = fresh && validation?.valid;
  const run = async () => {
    const players = Object.fromEntries(roles.map(({ name }) => [name, chosen[name] ?? preset.policy]));
    const made = await post("runs", { ...asked, policies: players, speed, seed: seed === "" ? null : readNumber(seed, true) });
    go("watch", made.id);
  };
  return html`<section class="panel start" aria-labelledby="start-title">
    <h2 id="start-title">Run it</h2>
    ${roles.map((role) => html`<${PolicyChoice} key=${role.name} role=${role} policies=${policies}
      value=${chosen[role.name] ?? preset.policy} set=${(name) => setChosen({ ...chosen, [role.name]: name })} />`)}
    <div class="pair"><label for=${`${id}-seed`}>seed</label>
      <input id=${`${id}-seed`} type="text" inputmode="numeric" value=${seed} autocomplete="off"
        placeholder=${String(form.config.identity.seed)} onInput=${(event) => setSeed(event.target.value)} /></div>
    <div class="pair"><label for=${`${id}-speed`}>speed</label>
      <select id=${`${id}-speed`} value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
        ${SPEEDS.map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}</select></div>
    <div class="row"><${Action} class="main" disabled=${!ready} run=${run}>Run<//>
      <button type="button" disabled=${!ready} onClick=${() => go("train", { preset: preset.name })}>Train</button></div>
    ${!ready && validation && !validation.valid && html`<p class="small muted">First mend what is refused.</p>`}
  </section>`;
}
