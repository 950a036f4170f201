// One training: its curve as it grows, its pace, and its latest policy at play.
import { part, post } from "../lib/api.js";
import { Chart } from "../lib/chart.js";
import { html, useMemo, useState } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Action, Badge, Fault, Loading } from "../lib/ui.js";
import { LatestPolicy } from "./beside.js";
import { CHARTS, MORE, linesOf, outcomeLines } from "./curve.js";
import { Progress } from "./progress.js";
import { ENDED, useTraining } from "./training.js";

function Curve({ rows, column, title }) {
  const lines = useMemo(() => linesOf(rows, column), [rows, column]);
  return html`<${Chart} title=${title} lines=${lines} />`;
}

function Endings({ rows }) {
  const lines = useMemo(() => outcomeLines(rows), [rows]);
  return lines.length > 0 && html`<${Chart} title="How lives end" lines=${lines} />`;
}

function Curves({ rows }) {
  const [more, setMore] = useState(false);
  if (rows.length === 0) {
    return html`<div class="panel"><${Loading} what="Waiting for the first update" /></div>`;
  }
  const [first, ...others] = CHARTS;
  return html`<div class="stack">
    <div class="chart-grid"><${Curve} rows=${rows} column=${first[0]} title=${first[1]} /><${Endings} rows=${rows} />
      ${others.map(([column, title]) => html`<${Curve} key=${column} rows=${rows} column=${column} title=${title} />`)}</div>
    <details class="train-more" onToggle=${(event) => setMore(event.currentTarget.open)}><summary>More curves</summary>
      ${more && html`<div class="chart-grid">${MORE.map(([column, title]) => html`<${Curve} key=${column}
        rows=${rows} column=${column} title=${title} />`)}</div>`}</details>
  </div>`;
}

function About({ detail }) {
  const { about } = detail;
  return html`<details class="panel small"><summary>What was trained, and how</summary>
    <dl class="train-about"><dt>Made by</dt><dd><code>${about.command}</code></dd>
      <dt>Seed</dt><dd>${about.plan?.seed}</dd><dt>Processes</dt><dd>${about.threads}</dd><dt>Runs on</dt><dd>${about.target}</dd></dl>
    <h3>Learning settings</h3><pre tabindex="0">${JSON.stringify(about.learning, null, 1)}</pre></details>`;
}

export function Follow({ name }) {
  const { status, rows, detail, error } = useTraining(name);
  if (error) return html`<${Fault} error=${error} /><p><a href=${link("train")}>All trainings</a></p>`;
  if (!status) return html`<${Loading} what="Opening the training" />`;
  const ended = ENDED.includes(status.status);
  const isEmpty = ended && rows.length === 0 && !status.update;
  const preset = detail?.preset ?? status.preset ?? "";
  return html`<article class="train-follow">
    <header class="row train-head"><h1>${name}</h1><${Badge} status=${status.status} />
      ${preset && html`<span class="muted">${preset}${detail?.changed ? ", changed" : ""}</span>`}
      <span class="train-actions row">
        ${!ended && !status.recorded && html`<${Action} run=${() => post(`trainings/${part(name)}/stop`)}>Stop<//>`}
        ${detail?.bundles.length > 0 && html`<a class="button" href=${link("compare", { evaluate: name })}>Evaluate</a>`}
        ${rows.length > 0 && html`<a class="button" href=${link("compare", { runs: name })}>Compare</a>`}
        <a class="button" href=${link("train", { preset })}>Train another</a></span></header>
    ${status.error && html`<${Fault} error=${`It ended with an error: ${status.error}`} />`}
    ${(status.notes ?? []).map((note) => html`<p class="small muted">${note}</p>`)}
    ${isEmpty && html`<p class="muted panel train-none">It ended before its first update: there is no curve and no policy.</p>`}
    ${!isEmpty && html`<${Progress} rows=${rows} updates=${status.updates} planned=${detail?.about.plan?.agent_steps} ended=${ended} />
      <div class="train-columns"><${Curves} rows=${rows} />
        <div class="stack"><${LatestPolicy} name=${name} detail=${detail} ended=${ended} />
          ${detail && html`<${About} detail=${detail} />`}</div></div>`}
  </article>`;
}
