// Compare: recorded runs side by side, and evaluations that are started here.
import { html, useMemo } from "../lib/html.js";
import { note, route } from "../lib/route.js";
import { Fault, Loading, useAnswer } from "../lib/ui.js";
import { Chooser } from "./choose.js";
import { EvaluateForm } from "./evaluate.js";
import { Evaluation } from "./evaluation.js";
import { PlainRuns } from "./runs.js";
import { Tournament } from "./tournament.js";
import { Trainings } from "./trainings.js";

const SHOWN = { training: "trainings", trainings: "trainings", evaluate: "evaluations", tournament: "tournaments", run: "runs", match: "runs" };

/** Find the chosen runs: {name, kind, session?}; what goes on may have no folder yet. */
function sortRuns(names, recorded, live) {
  const sessions = new Map(live.map((session) => [session.id, session]));
  const known = new Map(recorded.map((run) => [run.name, run]));
  return names.map((name) => {
    const found = known.get(name);
    const guess = sessions.has(name) ? (name.startsWith("tournament") ? "tournament" : "evaluate") : "";
    return { ...found, name, kind: found?.kind ?? guess, live: sessions.get(name) };
  });
}

export default function Compare({ query }) {
  const recorded = useAnswer("replays");
  const live = useAnswer("evaluations");
  const names = (query.runs ?? "").split(",").filter(Boolean);
  const choose = (next) => {
    const rest = { ...query, runs: next.join(",") };
    note("compare", rest);
    route.value = { path: ["compare"], query: rest };
  };
  const refresh = () => { recorded.again(); live.again(); };
  const runs = useMemo(() => (recorded.data && live.data ? sortRuns(names, recorded.data, live.data) : []),
    [query.runs, recorded.data, live.data]);
  const error = recorded.error ?? live.error;
  if (error) return html`<${Fault} error=${error} />`;
  if (!recorded.data || !live.data) return html`<${Loading} what="Asking for recorded runs" />`;
  const of = (kind) => runs.filter((run) => SHOWN[run.kind] === kind);
  return html`<div class="compare">
    <h1>Compare</h1>
    <div class="compare-tools">
      <${Chooser} recorded=${recorded.data} chosen=${names} onChoose=${choose} />
      <${EvaluateForm} key=${query.evaluate ?? ""} from=${query.evaluate}
        onStart=${(name) => { refresh(); choose([name, ...names]); }} />
    </div>
    <${Unknown} runs=${runs} />
    ${of("trainings").length > 0 && html`<${Trainings} runs=${of("trainings")} />`}
    ${of("evaluations").map((run) => html`<${Evaluation} key=${run.name} run=${run} onEnd=${refresh} />`)}
    ${of("tournaments").map((run) => html`<${Tournament} key=${run.name} run=${run} onEnd=${refresh} />`)}
    ${of("runs").length > 0 && html`<${PlainRuns} runs=${of("runs")} />`}
    ${names.length === 0 && html`<p class="muted compare-empty">Nothing is chosen. Choose recorded runs above, or start an evaluation.</p>`}
  </div>`;
}

function Unknown({ runs }) {
  const faults = runs.filter(({ kind }) => !SHOWN[kind]).map(({ name, kind, error }) =>
    error || (kind ? `${name}: a ${kind} is not compared here` : `${name}: there is no such run in the runs folder`));
  return faults.map((fault) => html`<${Fault} key=${fault} error=${fault} />`);
}
