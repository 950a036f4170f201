// The runs and replays of this server, and how to begin one.
import { part, post } from "../lib/api.js";
import { html, useEffect } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Action, Badge, Fault, Loading, useAnswer } from "../lib/ui.js";
import { ENDED } from "./store.js";

const LOOK_MILLISECONDS = 3000;

function Row({ run, again }) {
  const stop = async () => {
    await post(`runs/${part(run.id)}/stop`);
    again();
  };
  const steps = run.progress.step ?? 0;
  const all = run.progress.num_steps;
  return html`<tr>
    <td><a href=${link("watch", run.id)}>${run.id}</a></td>
    <td>${run.kind}</td>
    <td>${run.preset}</td>
    <td><${Badge} status=${run.status} />${run.error && html`<div class="small watch-why">${run.error}</div>`}</td>
    <td class="number">${steps}${all ? ` of ${all}` : ""}</td>
    <td class="number">${run.clients}</td>
    <td>${ENDED.includes(run.status)
      ? run.recorded && html`<a href=${link("replays", run.id)}>Recording</a>`
      : html`<${Action} run=${stop} label=${`Stop ${run.id}`}>Stop<//>`}</td>
  </tr>`;
}

/** List live runs and open replays, the newest first. */
export function RunList() {
  const { data, error, again } = useAnswer("runs");
  useEffect(() => {
    const timer = setInterval(again, LOOK_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  const runs = [...(data ?? [])].reverse();
  return html`<h1>Watch</h1>
    <${Fault} error=${error} />
    ${!data && !error && html`<${Loading} what="Looking for runs" />`}
    ${data && runs.length === 0 && html`<div class="panel watch-empty">
      <p>Nothing is running. Choose a world to begin a run, or open what was recorded before.</p>
      <p class="row"><a class="button main" href=${link("gallery")}>Choose a world</a>
        <a class="button" href=${link("replays")}>Open a recording</a></p></div>`}
    ${runs.length > 0 && html`<div class="table-room panel" tabindex="0" role="region" aria-label="Runs"><table>
      <thead><tr><th>Name</th><th>Kind</th><th>Preset</th><th>Status</th><th class="number">Step</th>
        <th class="number">Watched by</th><th><span class="hidden">What to do</span></th></tr></thead>
      <tbody>${runs.map((run) => html`<${Row} key=${run.id} run=${run} again=${again} />`)}</tbody></table></div>
      <p class="row"><a class="button main" href=${link("gallery")}>Begin another run</a>
        <a class="button" href=${link("replays")}>Open a recording</a></p>`}`;
}
