// Plain runs side by side: what their episodes came to, and the server's verdict.
import { post } from "../lib/api.js";
import { html, useEffect, useState } from "../lib/html.js";
import { groupBy } from "../lib/lines.js";
import { Fault, Loading, short } from "../lib/ui.js";
import { IntervalTable, Verdict, pText, percent } from "./interval.js";

const TITLES = { total_return: "Return", return: "Return", success: "Share of lives that end in success", length: "Steps of a life" };
const title = (metric, role) => `${TITLES[metric] ?? metric}: ${role}`;

export function PlainRuns({ runs }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const names = runs.map(({ name }) => name).join(",");
  useEffect(() => {
    const stop = new AbortController();
    setFound(null);
    post("comparisons", { sides: runs.map(({ name }) => ({ name, runs: [name] })) }, { signal: stop.signal })
      .then((answer) => { setFound(answer); setError(null); })
      .catch((failed) => failed.name !== "AbortError" && setError(failed));
    return () => stop.abort();
  }, [names]);
  return html`<section class="panel compare-part" aria-labelledby="runs-compared">
    <header class="row"><h2 id="runs-compared">Runs</h2>
      ${found && runs.length > 1 && html`<span class="muted">${found.baseline} is what the others are compared with</span>`}</header>
    <${Fault} error=${error} />
    ${!found && !error && html`<${Loading} what="Comparing episodes" />`}
    ${found && html`<${Reached} rows=${found.reached} /><${Verdicts} found=${found} />
      ${found.reached.length === 0 && html`<p class="muted">No episode of these runs was finished and recorded, so there is nothing to compare.</p>`}
      ${found.notes.length > 0 && html`<ul class="small muted">${found.notes.map((note) => html`<li key=${note}>${note}</li>`)}</ul>`}`}
  </section>`;
}

function Reached({ rows }) {
  return groupBy(rows, (row) => title(row.metric, row.role)).map(([caption, own]) => html`<${IntervalTable} key=${caption}
    caption=${caption} value="mean" columns=${["median", "episodes", "lives"]}
    rows=${own.map(({ side, mean, median, episodes, lives }) => ({ name: side, ...mean, cells: [short(median.value), episodes, lives] }))} />`);
}

function Verdicts({ found }) {
  return groupBy(found.verdicts, (row) => title(row.metric, row.role)).map(([caption, own]) => html`<${IntervalTable} key=${caption}
    caption=${`Difference from ${found.baseline}: ${caption}`} value="difference" mark=${0}
    columns=${["verdict", "p", "higher in", "needed"]}
    rows=${own.map(({ side, metric, difference, verdict, p, improvement, needed }) => ({ name: side, ...difference,
      cells: [html`<${Verdict} verdict=${metric === "length" ? { better: "longer", worse: "shorter" }[verdict] ?? verdict : verdict} />`,
        pText(p), percent(improvement), verdict === "not distinguishable" && needed ? short(needed) : "–"] }))} />`);
}
