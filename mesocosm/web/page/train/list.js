// Trainings of this server and of its runs folder.
import { count, when } from "../lib/format.js";
import { html, useEffect, useState } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Badge, Fault, Loading, useAnswer } from "../lib/ui.js";

const KINDS = ["training", "trainings"];
const AGAIN_MILLISECONDS = 3000;
const GOING = ["starting", "running"];

/** Put both lists together, the newest first; what goes on knows its own status best. */
export function joinTrainings(live, recorded) {
  const known = new Map(recorded.filter(({ kind }) => KINDS.includes(kind)).map((run) => [run.name, run]));
  const going = live.map((session) => ({ ...known.get(session.id), name: session.id, preset: session.preset,
    status: session.status, error: session.error, started: session.started, progress: session.progress }));
  const names = new Set(going.map(({ name }) => name));
  return [...going, ...[...known.values()].filter(({ name }) => !names.has(name))]
    .sort((a, b) => (a.started < b.started ? 1 : -1));
}

function howFar({ progress }) {
  if (!progress?.updates) return "";
  const percent = Math.floor((100 * progress.update) / progress.updates);
  return `${count(progress.agent_steps)} agent-steps${percent < 100 ? `, ${percent}\u00a0%` : ""}`;
}

export function TrainingList() {
  const live = useAnswer("trainings");
  const recorded = useAnswer("replays");
  const [chosen, setChosen] = useState([]);
  const goes = live.data?.some(({ status }) => GOING.includes(status));
  useEffect(() => {
    if (!goes) return undefined;
    const timer = setInterval(() => { live.again(); recorded.again(); }, AGAIN_MILLISECONDS);
    return () => clearInterval(timer);
  }, [goes]);
  const error = live.error ?? recorded.error;
  if (error) return html`<${Fault} error=${error} />`;
  if (!live.data || !recorded.data) return html`<${Loading} what="Asking for trainings" />`;
  const trainings = joinTrainings(live.data, recorded.data);
  const choose = (name, on) => setChosen(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  return html`<section aria-labelledby="trainings-title" class="train-list">
    <h2 id="trainings-title">Trainings</h2>
    ${trainings.length === 0
      ? html`<p class="muted">None yet. Choose a preset and start one; those made by <code>mesocosm train</code> into the runs folder appear here too.</p>`
      : html`<div class="table-room" tabindex="0" role="region" aria-labelledby="trainings-title"><table>
        <thead><tr><th scope="col"><span class="hidden">Compare</span></th><th scope="col">Training</th><th scope="col">Status</th></tr></thead>
        <tbody>${trainings.map((run) => html`<tr key=${run.name}>
          <td><input type="checkbox" aria-label=${`Compare ${run.name}`} checked=${chosen.includes(run.name)}
            onChange=${(event) => choose(run.name, event.currentTarget.checked)} /></td>
          <td><a href=${link("train", run.name)}>${run.name}</a><div class="small muted">${run.preset}${run.changed ? ", changed" : ""} · ${when(run.started)}</div></td>
          <td><${Badge} status=${run.status} /><div class="small muted train-far">${howFar(run)}</div></td></tr>`)}</tbody></table></div>
      <p class="row"><a class="button" aria-disabled=${chosen.length === 0} href=${chosen.length ? link("compare", { runs: chosen.join(",") }) : link("train")}>
        Compare ${chosen.length || ""} chosen</a></p>`}
  </section>`;
}
