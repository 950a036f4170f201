// A tournament: ratings with their uncertainty, and what everybody earned beside everybody.
import { html } from "../lib/html.js";
import { short } from "../lib/ui.js";
import { IntervalTable, Verdict, intervalText, percent } from "./interval.js";
import { Job } from "./job.js";

function Ratings({ rows }) {
  return html`<${IntervalTable} caption="Ratings, with one standard error to each side" value="rating" range="± one error"
    columns=${["won", "games", "mean return", "forfeits"]}
    rows=${rows.map((row) => ({ name: `${row.place}. ${row.entrant}`, value: row.rating,
      low: row.rating - row.uncertainty, high: row.rating + row.uncertainty,
      cells: [percent(row.won), row.games, short(row.mean_return), row.forfeits ? `${row.forfeits}: ${row.reason}` : "0"] }))} />`;
}

function Matrix({ rows }) {
  const names = [...new Set(rows.map((row) => row.entrant))];
  const cells = new Map(rows.map((row) => [`${row.entrant}\n${row.beside}`, row]));
  const values = rows.map((row) => row.mean_return).filter((value) => value !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const share = (value) => (high > low ? (value - low) / (high - low) : 0.5);
  return html`<div class="table-room" tabindex="0" role="region" aria-label="Cross-play"><table class="matrix">
    <caption>Cross-play: mean return of the row's policy beside the column's; deeper is more</caption>
    <thead><tr><td></td>${names.map((name) => html`<th scope="col" key=${name}>beside ${name}</th>`)}</tr></thead>
    <tbody>${names.map((name) => html`<tr key=${name}><th scope="row">${name}</th>${names.map((beside) => {
      const cell = cells.get(`${name}\n${beside}`);
      if (!cell || cell.mean_return === null) return html`<td key=${beside} title=${cell?.forfeits ?? ""}>–</td>`;
      return html`<td key=${beside} data-value=${cell.mean_return} style=${`--share:${Math.round(100 * share(cell.mean_return))}%`}>
        <b>${short(cell.mean_return)}</b><span class="small">${intervalText(cell)}</span></td>`;
    })}</tr>`)}</tbody></table></div>`;
}

function Seats({ rows }) {
  if (rows.length === 0) return null;
  return html`<details><summary>What each seat is worth</summary>
    <${IntervalTable} caption="Advantage of a seat over the others" value="advantage" mark=${0} columns=${["verdict", "mean return", "episodes"]}
      rows=${rows.map((row) => ({ name: row.seat, value: row.advantage, low: row.low, high: row.high,
        cells: [html`<${Verdict} verdict=${row.verdict} />`, short(row.mean_return), row.episodes] }))} /></details>`;
}

export function Tournament({ run, onEnd }) {
  const show = ({ rows }) => html`${rows.standing.length > 0 && html`<${Ratings} rows=${rows.standing} />`}
    ${rows.crossplay.length > 0 && html`<${Matrix} rows=${rows.crossplay} />`}<${Seats} rows=${rows.seat} />
    <p class="small muted">Ratings are OpenSkill's: a newcomer has 25. Intervals in the matrix are of 95 % over episodes; with fewer than 30 episodes there are none.</p>`;
  return html`<${Job} run=${run} kind="tournament" tables=${["standing", "crossplay", "seat"]} onEnd=${onEnd} show=${show} />`;
}
