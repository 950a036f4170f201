// Trainings side by side: those that differ in their seed alone are one line with a band.
import { get, part } from "../lib/api.js";
import { Chart } from "../lib/chart.js";
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { groupBy, summariseLines } from "../lib/lines.js";
import { link } from "../lib/route.js";
import { Fault, Loading, short } from "../lib/ui.js";
import { lineOf, rolesOf } from "../train/curve.js";
import { readCurve } from "../train/training.js";

const METRICS = {
  mean_return: "Return of a life", success: "Share of lives that end in success", mean_length: "Steps of a life",
  entropy: "Entropy of the policy, in nats", value_loss: "Loss of the critic", policy_loss: "Loss of the policy",
  kl: "Divergence from the policy that played",
};
const SEEDS = "trainings"; // the kind of a run folder that holds several seeds

/** Read a training: its curve, and what makes it the same as another but for the seed. */
async function readTraining(run) {
  const { about, bundles } = await get(`replays/${part(run.name)}`);
  const rows = await readCurve(run.name);
  const plan = about.plan ?? {};
  const alike = JSON.stringify([about.config_hash, about.learning_hash ?? plan.learning, plan.agent_steps]);
  const seeds = run.kind === SEEDS ? groupBy(rows, (row) => row.seed) : [[plan.seed, rows]];
  return { name: run.name, preset: run.preset, learning: about.learning ?? {}, alike, bundles, plan,
    parts: seeds.map(([seed, own]) => ({ seed, rows: own })) };
}

function useTrainings(runs) {
  const names = runs.map(({ name }) => name).join(",");
  const [found, setFound] = useState(null);
  const [faults, setFaults] = useState([]);
  useEffect(() => {
    let gone = false;
    Promise.allSettled(runs.map(readTraining)).then((all) => {
      if (gone) return;
      setFound(all.filter((one) => one.status === "fulfilled").map((one) => one.value));
      setFaults(all.flatMap((one, k) => (one.status === "rejected" ? [`${runs[k].name}: ${one.reason.message}`] : [])));
    });
    return () => { gone = true; };
  }, [names]);
  return { found, faults };
}

/** Give groups of trainings that are alike, each with a name that tells it from the others. */
function groupTrainings(trainings) {
  return groupBy(trainings, ({ alike }) => alike).map(([, members]) => {
    const parts = members.flatMap((member) => member.parts);
    const [first] = members;
    const name = members.length === 1 ? first.name : `${first.preset}, as ${first.name}`;
    return { name: parts.length > 1 ? `${name} (${parts.length} seeds)` : name, members, parts };
  });
}

function linesOf(groups, role, metric) {
  return groups.map(({ name, parts }) => {
    const lines = parts.map(({ rows }) => lineOf(rows, role, metric)).filter((line) => line.x.length);
    return lines.length ? summariseLines(name, lines) : null;
  }).filter(Boolean);
}

function MetricCharts({ groups, roles, metric }) {
  const lines = useMemo(() => roles.map((role) => [role, linesOf(groups, role, metric)]), [groups, metric]);
  const shown = lines.filter(([, own]) => own.length);
  if (shown.length === 0) return html`<p class="muted">None of them has this column.</p>`;
  return html`<div class="chart-grid">${shown.map(([role, own]) => html`<${Chart} key=${role}
    title=${`${METRICS[metric]}: ${role}`} lines=${own}
    note=${own.some((line) => line.low) && "A line with a band is the median over seeds; the band reaches from the least to the greatest."} />`)}</div>`;
}

/** Tell in which learning settings trainings differ. */
function flatten(data, lead = "") {
  return Object.entries(data).flatMap(([key, value]) => (value && typeof value === "object" && !Array.isArray(value)
    ? flatten(value, `${lead}${key}.`) : [[lead + key, JSON.stringify(value)]]));
}

function Differences({ groups }) {
  const flat = groups.map(({ members }) => new Map(flatten(members[0].learning)));
  const paths = [...new Set(flat.flatMap((one) => [...one.keys()]))]
    .filter((path) => new Set(flat.map((one) => one.get(path))).size > 1);
  return html`<div class="table-room" tabindex="0" role="region" aria-label="What was trained"><table>
    <caption>What was trained${groups.length > 1 && paths.length ? ", and the settings that differ" : ""}</caption>
    <thead><tr><th scope="col"></th><th scope="col">preset</th><th scope="col">seeds</th><th scope="col" class="number">agent-steps</th>
      ${paths.map((path) => html`<th scope="col" key=${path}><code>${path}</code></th>`)}<th scope="col">policies</th></tr></thead>
    <tbody>${groups.map(({ name, members, parts }, k) => html`<tr key=${name}><th scope="row">${members.map((member) => html`<a key=${member.name}
      href=${link("train", member.name)}>${member.name}</a> `)}</th><td>${members[0].preset}</td>
      <td>${parts.map(({ seed }) => seed).join(", ")}</td><td class="number">${short(members[0].plan.agent_steps)}</td>
      ${paths.map((path) => html`<td key=${path}>${flat[k].get(path) ?? "–"}</td>`)}
      <td>${members.filter(({ bundles }) => bundles.length).map((member) => html`<a key=${member.name} aria-label=${`Evaluate ${member.name}`} href=${link("compare", { evaluate: member.name })}>evaluate</a> `)}</td>
    </tr>`)}</tbody></table></div>`;
}

export function Trainings({ runs }) {
  const { found, faults } = useTrainings(runs);
  const [metric, setMetric] = useState("mean_return");
  const groups = useMemo(() => groupTrainings(found ?? []), [found]);
  const roles = useMemo(() => rolesOf(groups.flatMap(({ parts }) => parts.flatMap(({ rows }) => rows))), [groups]);
  return html`<section class="panel compare-part" aria-labelledby="trainings-compared">
    <header class="row"><h2 id="trainings-compared">Trainings</h2>
      <label class="row">Curve of <select value=${metric} onChange=${(event) => setMetric(event.currentTarget.value)}>
        ${Object.entries(METRICS).map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}</select></label></header>
    ${faults.map((fault) => html`<${Fault} key=${fault} error=${fault} />`)}
    ${!found && html`<${Loading} what="Reading curves" />`}
    ${groups.length > 0 && html`<${MetricCharts} groups=${groups} roles=${roles} metric=${metric} /><${Differences} groups=${groups} />`}
  </section>`;
}
