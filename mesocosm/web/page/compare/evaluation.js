// An evaluation: what each entrant reached, and whether that differs from the first.
import { html } from "../lib/html.js";
import { short } from "../lib/ui.js";
import { groupBy } from "../lib/lines.js";
import { IntervalTable, Verdict, pText, percent } from "./interval.js";
import { Job } from "./job.js";

function Results({ rows }) {
  return groupBy(rows, (row) => `${row.preset}, ${row.role}`).map(([title, own]) => html`<${IntervalTable} key=${title}
    caption=${`Return of an agent in an episode: ${title}`} value="mean return"
    columns=${["median", "success", "length", "episodes"]}
    rows=${own.map((row) => ({ name: row.group === row.entrant ? row.entrant : `${row.entrant} (beside ${row.group})`,
      value: row.mean_return, low: row.low, high: row.high,
      cells: [short(row.median_return), percent(row.success), short(row.mean_length), row.episodes] }))} />`);
}

function Verdicts({ rows }) {
  if (rows.length === 0) return null;
  return groupBy(rows, (row) => `${row.preset}, ${row.role}`).map(([title, own]) => html`<${IntervalTable} key=${title}
    caption=${`Difference from ${own[0].baseline}, episode by episode: ${title}`} value="difference" mark=${0}
    columns=${["verdict", "p", "better in", "episodes", "needed"]}
    rows=${own.map((row) => ({ name: row.entrant, value: row.difference, low: row.low, high: row.high,
      cells: [html`<${Verdict} verdict=${row.verdict} />`, pText(row.p), percent(row.improvement), row.episodes,
        row.verdict === "not distinguishable" && row.needed ? short(row.needed) : "–"] }))} />`);
}

export function Evaluation({ run, onEnd }) {
  const show = ({ rows }) => html`<${Results} rows=${rows.result} /><${Verdicts} rows=${rows.verdict} />
    <p class="small muted">Intervals are of 95 % over episodes; with fewer than 30 episodes, or where all end alike, there are none. p is how likely so large a difference would be if there were none, corrected for all rows (Holm).${" "}
      <b>Better in</b> is the share of episodes in which the entrant earns more; <b>needed</b> are episodes that would show a difference of 5 %.</p>
    ${rows.result.filter((row) => row.forfeits).map((row) => html`<p class="fault">${row.entrant}: ${row.forfeits}</p>`)}`;
  return html`<${Job} run=${run} kind="evaluation" tables=${["result", "verdict"]} onEnd=${onEnd} show=${show} />`;
}
