// What a recorded run is: who played, of which config it was made, and by which versions.
import { html } from "../lib/html.js";
import { link } from "../lib/route.js";
import { policy, when } from "../lib/format.js";

function Entry({ title, children }) {
  return html`<div class="fact"><dt>${title}</dt><dd>${children}</dd></div>`;
}

function Policies({ policies }) {
  return html`<ul class="plain-list">${Object.entries(policies).map(([who, entry]) => html`<li key=${who}>
    ${who}: <strong>${policy(entry)}</strong></li>`)}</ul>`;
}

function Source({ preset, provenance: { source, archetypes = [], overrides = {}, included = [] } }) {
  const changes = Object.entries(overrides).map(([path, value]) => `${path} = ${JSON.stringify(value)}`);
  return html`${source === "config" ? `a config of ${preset}` : source}${archetypes.map((name) => ` + ${name}`)}
    ${included.length > 0 && html`<span class="muted"> (includes ${included.join(", ")})</span>`}
    ${changes.length > 0 && html`<ul class="plain-list">${changes.map((line) => html`<li key=${line}><code>${line}</code></li>`)}</ul>`}`;
}

const hash = (text) => html`<code class="hash">${text}</code>`;

export function About({ about: { about, status } }) {
  const { policies, provenance, versions, forked_from: fork } = about;
  return html`<section class="panel" aria-labelledby="about-title"><h2 id="about-title">What it is</h2>
    <dl class="facts">
      <${Entry} title="Status">${status}, ${about.ended ? `ended ${when(about.ended)}` : "not ended"}<//>
      ${policies && Object.keys(policies).length > 0 && html`<${Entry} title="Policies"><${Policies} policies=${policies} /><//>`}
      ${provenance && html`<${Entry} title="Made of"><${Source} preset=${about.preset} provenance=${provenance} /><//>`}
      ${fork && html`<${Entry} title="Forked from"><a href=${link("replays", fork.id, { step: fork.step })}>${fork.id}, step ${fork.step}</a><//>`}
      <${Entry} title="Seed">${about.seed}<//>
      <${Entry} title="Config hash">${hash(about.config_hash)}<//>
      ${about.behaviour_hash && html`<${Entry} title="Behaviour hash">${hash(about.behaviour_hash)}<//>`}
      <${Entry} title="Ran on">${about.target}<//>
      ${about.made_by && html`<${Entry} title="Made by">${about.made_by}<//>`}
    </dl>
    <details><summary>Versions</summary>
      <ul class="plain-list small">${Object.entries(versions).map(([name, version]) => html`<li key=${name}>${name} ${version}</li>`)}</ul></details>
    <details><summary>Everything run.json says</summary>
      <pre tabindex="0" aria-label="run.json">${JSON.stringify(about, null, 2)}</pre></details>
  </section>`;
}
