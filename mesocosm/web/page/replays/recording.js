// One recorded run: what it is, the player, its proof, films, tables and bundles.
import { part } from "../lib/api.js";
import { html, useState } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Badge, Fault, Guarded, Loading, useAnswer } from "../lib/ui.js";
import { About } from "./about.js";
import { Film } from "./film.js";
import { count, when } from "../lib/format.js";
import { Player } from "./player.js";
import { Proof } from "./proofs.js";
import { Tables } from "./tables.js";

function Bundles({ names }) {
  if (names.length === 0) return null;
  return html`<section class="panel" aria-labelledby="bundles-title"><h2 id="bundles-title">Policy bundles</h2>
    <ul class="plain-list">${names.map((name) => html`<li key=${name}><code>${name.split("~").at(-1)}</code>
      <span class="small muted"> choose it as <code>bundle/${name}</code></span></li>`)}</ul></section>`;
}

const training = ["This is a training: its curve, and its policy at play, are in Train.", (name) => link("train", name)];
const result = ["This is a comparison of policies: what they reached is in Compare.", (name) => link("compare", { runs: name })];
const ELSEWHERE = { training, trainings: training, evaluate: result, tournament: result }; // what has no replay, by kind

function NoReplay({ about }) {
  const going = about.status === "running";
  const [words, place] = ELSEWHERE[about.kind] ?? [];
  if (place) return html`<p class="panel">${words} <a class="button main" href=${place(about.name)}>Show it</a></p>`;
  return html`<p class="panel">${going
    ? "This run is being recorded: what it wrote so far cannot be played again yet."
    : "This run has no replay: nothing to scrub, prove or film. Its tables are below."}</p>`;
}

function Head({ about }) {
  const facts = [about.preset, about.kind, `${count(about.steps)} steps`,
    `${count(about.num_envs)} ${about.num_envs === 1 ? "env" : "envs"}`,
    `${count(about.num_agents)} ${about.num_agents === 1 ? "agent" : "agents"}`, when(about.started)];
  return html`<header class="recording-head">
    <p class="small"><a href=${link("replays")}>All replays</a></p>
    <div class="row"><h1>${about.name}</h1><${Badge} status=${about.status} /></div>
    <p class="muted">${facts.filter(Boolean).join(" · ")}</p>
    ${about.error && html`<${Fault} error=${about.error} />`}
  </header>`;
}

export function Recording({ name, query }) {
  const { data: about, error, loading } = useAnswer(`replays/${part(name)}`);
  const [moment, setMoment] = useState({ env: 0, step: 0, perspective: "everything" });
  if (loading && !error) return html`<${Loading} what="Reading the recording" />`;
  if (error) {
    return html`<${Fault} error=${error} /><p><a href=${link("replays")}>All replays</a></p>`;
  }
  const plays = about.replay && about.steps > 0;
  return html`<section class="replays recording" aria-label=${`Recording ${name}`}>
    <${Head} about=${about} />
    <div class="columns">
      <div class="stack">
        ${plays ? html`<${Guarded}><${Player} name=${name} about=${about} query=${query} onMoment=${setMoment} /><//>`
          : html`<${NoReplay} about=${about} />`}
        ${about.tables.length > 0 && html`<${Tables} name=${name} tables=${about.tables} />`}
      </div>
      <div class="stack">
        ${plays && html`<${Proof} name=${name} /><${Film} name=${name} about=${about} moment=${moment} />`}
        <${Bundles} names=${about.bundles} />
        <${About} about=${about} />
      </div>
    </div>
  </section>`;
}
