// Play, pause, step, speed, stop, and where in time the run is.
import { html, useEffect, useRef } from "../lib/html.js";
import { PlayButton, SpeedChoice, StepButton, StepSlider, sayStep } from "../lib/transport.js";

const SEEK_MILLISECONDS = 120;

/** In a replay the slider seeks as it is dragged; in a run it offers to fork where it is dropped. */
function Scrub({ run, status }) {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const seek = (step) => run.command("seek", { step });
  const soon = (step) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => seek(step), SEEK_MILLISECONDS);
  };
  const now = (step) => {
    clearTimeout(timer.current);
    return seek(step);
  };
  const offer = (step) => { if (step < status.step) run.offer.value = step; };
  return run.isReplay
    ? html`<${StepSlider} at=${status.step} most=${status.num_steps} label="Step of the replay" onMove=${soon} onDrop=${now} />`
    : html`<${StepSlider} at=${status.step} most=${status.step} label="Step: go back to fork from there" onDrop=${offer} />`;
}

/** Show the controls of time. */
export function Transport({ run }) {
  const status = run.status.value;
  const frame = run.calm.value;
  if (!status || status.step === undefined) return null;
  const off = run.hasEnded || run.phase.value !== "live";
  const at = frame ? { ...status, step: frame.step, t: frame.t, episode: frame.episode } : status;
  const step = (count) => run.command("step", { count });
  return html`<div class="transport" role="group" aria-label="Time">
    ${run.isReplay && html`<${StepButton} off=${off || at.step === 0} title="One step back (,)"
      label="Back 1 step" onPress=${() => run.jump(at.step - 1)}>−1<//>`}
    <${PlayButton} isPaused=${run.isPaused} off=${off} title="Space or p" onPress=${() => run.toggle()} />
    <${StepButton} off=${off} title="One step (.)" label="Step 1" onPress=${() => step(1)}>+1<//>
    <${StepButton} off=${off} title="Ten steps (>)" label="Step 10" onPress=${() => step(10)}>+10<//>
    <${Scrub} run=${run} status=${at} />
    <${SpeedChoice} speed=${status.speed ?? 0} off=${off} onChange=${(speed) => run.command("speed", { speed })} />
    <button type="button" disabled=${off} onClick=${() => run.command("stop")}>Stop</button>
    <span class="moment muted small" data-step=${at.step}>${sayStep(at)}${run.isReplay ? ` · ${at.num_steps} recorded` : ""}</span>
  </div>`;
}
