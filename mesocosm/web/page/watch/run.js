// One run: its picture, its time, and what there is to know beside it.
import { html, useEffect } from "../lib/html.js";
import { link, note } from "../lib/route.js";
import { Badge, Loading, useAnswer } from "../lib/ui.js";
import { SceneCanvas, SceneLegend, SceneWords } from "../scene/index.js";
import { Agents } from "./agents.js";
import { Chances } from "./chances.js";
import { Events } from "./events.js";
import { ForkDialog } from "./fork.js";
import { Shortcuts } from "./keys.js";
import { Notices } from "./notices.js";
import { Perspective } from "./perspective.js";
import { ActPanel } from "./play.js";
import { Received } from "./received.js";
import { Rewards } from "./rewards.js";
import { EVERYTHING, agentOf } from "./store.js";
import { Transport } from "./transport.js";

function waitingFor(run) {
  return run.status.value?.status === "starting"
    ? "Starting. The first run of a world compiles its rules, which takes up to a minute, once"
    : "Waiting for a picture";
}

/** The picture: the only part that changes with every frame. */
function Picture({ run }) {
  const frame = run.frame.value;
  const perspective = run.perspective.value;
  const pick = (found, how) => {
    if (how !== "click") return;
    run.picked.value = found;
    const agent = agentOf(found?.key ?? "");
    if (perspective === EVERYTHING) run.selected.value = agent;
  };
  const unfollow = () => { run.follow.value = ""; };
  const isEmpty = frame && !frame.scene;
  if (!frame && run.hasEnded) {
    return html`<p class="panel muted">No picture is kept: nobody watched this run when it ended.</p>`;
  }
  return html`<div class="picture">
    <${SceneCanvas} key=${perspective} scene=${frame?.scene} drawings=${run.drawings.value}
      follow=${run.follow.value} highlight=${run.highlight.value} onPick=${pick} onUnfollow=${unfollow} />
    ${!frame && html`<div class="picture-note"><${Loading} what=${waitingFor(run)} /></div>`}
    ${isEmpty && html`<p class="picture-note muted">This world draws no picture of everything: look through an agent's eyes.</p>`}
  </div>`;
}

function Caption({ run }) {
  const scene = run.calm.value?.scene;
  const perspective = run.perspective.value;
  return html`<div class="about-picture" key=${perspective}>
    <${SceneLegend} scene=${scene} drawings=${run.drawings.value} /><${SceneWords} scene=${scene} /></div>`;
}

function Head({ run }) {
  const detail = run.detail.value;
  const status = run.phase.value === "gone" ? "gone" : run.status.value?.status;
  const fork = () => { run.forking.value = run.frame.peek()?.step ?? run.status.peek()?.step ?? 0; };
  const from = detail?.forked_from;
  return html`<div class="watch-head">
    <h1>${detail?.preset ?? run.name}</h1>
    ${status && html`<${Badge} status=${status} />`}
    <span class="spacer"></span>
    <button type="button" title="Begin a new run that is the same until a step" disabled=${!detail || (run.hasEnded && !detail.recorded)} onClick=${fork}>Fork</button>
    ${detail?.recorded && html`<a class="button" href=${link("replays", run.name)}>Recording</a>`}
    <${Shortcuts} run=${run} />
    <p class="watch-about muted small">${detail && html`<${Sentence} detail=${detail} />`} Run ${run.name}${from
      ? html`, forked from <a href=${link("watch", from.id, { step: from.step })}>${from.id}</a> at step ${from.step}` : ""}</p>
  </div>`;
}

/** Say what the world of a run is, and who plays in it. */
function Sentence({ detail }) {
  const { data } = useAnswer("presets", { world: detail.world });
  const sentence = data?.find(({ name }) => name === detail.preset)?.sentence.replace(/[.!]?$/, ".") ?? "";
  const players = [...new Set(Object.values(detail.policies ?? {}))].join(", ");
  if (detail.kind === "replay") return html`<span>${sentence} Played again from a recording.</span>`;
  return html`<span>${sentence} Played by ${players || "random"}.</span>`;
}

function OwnChances({ run }) {
  const frame = run.calm.value;
  if (!frame?.probabilities) return null;
  return html`<div class="panel"><${Chances} probabilities=${frame.probabilities} action=${frame.action} role=${run.roleOf(frame.agent)} /></div>`;
}

function Side({ run }) {
  const agent = agentOf(run.perspective.value);
  if (agent === null) return html`<${Agents} run=${run} /><${Events} run=${run} />`;
  return html`<${ActPanel} run=${run} />
    <section class="panel"><h2>What agent ${agent} received</h2><${Received} run=${run} /></section>
    <${OwnChances} run=${run} />`;
}

/** Keep the address such that it leads here. */
function useAddress(run) {
  const perspective = run.perspective.value;
  const frame = run.calm.value;
  const step = frame && (run.isPaused || run.isReplay) ? frame.step : undefined;
  const follow = run.follow.value;
  useEffect(() => {
    const timer = setTimeout(() => note("watch", run.name, {
      perspective: perspective === EVERYTHING ? undefined : perspective, step, follow,
    }), step === undefined ? 0 : 200);
    return () => clearTimeout(timer);
  }, [run, perspective, step, follow]);
}

/** Go to the step that a link names, once it is known what kind of run this is. */
function useLinkedStep(run, step) {
  const ready = Boolean(run.detail.value) && run.status.value?.step !== undefined;
  useEffect(() => {
    const wanted = Number(step);
    if (!ready || step === undefined || !Number.isInteger(wanted) || wanted < 0) return;
    if (wanted !== run.status.peek().step) run.jump(wanted);
  }, [run, step, ready]);
}

/** Show a run. */
export function RunView({ run, step }) {
  useAddress(run);
  useLinkedStep(run, step);
  const isUnknown = run.phase.value === "gone" && !run.detail.value;
  return html`<div class="watch">
    <${Head} run=${run} />
    <${Notices} run=${run} />
    ${!isUnknown && html`<div class="watch-body">
      <div class="watch-stage">
        <${Perspective} run=${run} />
        <${Picture} run=${run} />
        <${Transport} run=${run} />
        <${Caption} run=${run} />
        <${Rewards} key=${run.perspective.value} run=${run} />
      </div>
      <div class="watch-side"><${Side} key=${run.perspective.value} run=${run} /></div>
    </div>`}
    <${ForkDialog} run=${run} />
  </div>`;
}
