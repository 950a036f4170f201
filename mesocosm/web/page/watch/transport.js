// Play, pause, step, speed, stop, and where in time the run is.
import { html, useEffect, useRef, useState } from "../lib/html.js";

export const SPEEDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 0];
const SEEK_MILLISECONDS = 120;

const sayStep = ({ step, episode, t }) => `step ${step} · episode ${episode + 1}, its step ${t}`;
const saySpeed = (speed) => (speed === 0 ? "as fast as can be" : `${speed} step${speed === 1 ? "" : "s"}/s`);

/** Give the next speed up or down the list. */
export function nextSpeed(speed, up) {
  const order = (value) => (value === 0 ? Infinity : value);
  const sorted = [...SPEEDS].sort((one, other) => order(one) - order(other));
  const fitting = sorted.filter((value) =>
    (up ? order(value) > order(speed) : order(value) < order(speed)));
  return (up ? fitting[0] : fitting.at(-1)) ?? speed;
}

function Scrub({ run, status }) {
  const isReplay = run.isReplay;
  const [own, setOwn] = useState(null); // where the slider is dragged to
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const drag = (event) => {
    const step = Number(event.target.value);
    setOwn(step);
    clearTimeout(timer.current);
    if (!isReplay) return;
    timer.current = setTimeout(async () => {
      await run.command("seek", { step });
      setOwn(null);
    }, SEEK_MILLISECONDS);
  };
  const drop = (event) => {
    if (isReplay) return;
    const step = Number(event.target.value);
    if (step < status.step) run.offer.value = step;
    setOwn(null);
  };
  const most = isReplay ? status.num_steps : status.step;
  const at = own ?? status.step;
  return html`<input class="scrub" type="range" min="0" max=${most ?? 0} value=${at} disabled=${!most}
    aria-label=${isReplay ? "Step of the replay" : "Step: go back to fork from there"}
    aria-valuetext=${`step ${at} of ${most}`} onInput=${drag} onChange=${drop} />`;
}

function Speed({ run, speed, off }) {
  const known = SPEEDS.includes(speed) ? SPEEDS : [speed, ...SPEEDS];
  const change = (event) => run.command("speed", { speed: Number(event.target.value) });
  return html`<label class="speed">Speed <select value=${String(speed)} disabled=${off} onChange=${change}>
    ${known.map((value) => html`<option key=${value} value=${String(value)}>${saySpeed(value)}</option>`)}
  </select></label>`;
}

/** Show the controls of time. */
export function Transport({ run }) {
  const status = run.status.value;
  const frame = run.calm.value;
  if (!status || status.step === undefined) return null;
  const off = run.hasEnded || run.phase.value !== "live";
  const isPaused = run.isPaused;
  const at = frame ? { ...status, step: frame.step, t: frame.t, episode: frame.episode } : status;
  const step = (count) => run.command("step", { count });
  return html`<div class="transport" role="group" aria-label="Time">
    ${run.isReplay && html`<button type="button" disabled=${off || at.step === 0} title="One step back (,)"
      aria-label="Back 1 step" onClick=${() => run.jump(at.step - 1)}>−1</button>`}
    <button type="button" class="main play" disabled=${off} title="Space or p" onClick=${() => run.toggle()}>
      <span aria-hidden="true">${isPaused ? "▶" : "❚❚"}</span> ${isPaused ? "Play" : "Pause"}</button>
    <button type="button" disabled=${off} title="One step (.)" aria-label="Step 1" onClick=${() => step(1)}>+1</button>
    <button type="button" disabled=${off} title="Ten steps (>)" aria-label="Step 10" onClick=${() => step(10)}>+10</button>
    <${Scrub} run=${run} status=${at} />
    <${Speed} run=${run} speed=${status.speed ?? 0} off=${off} />
    <button type="button" disabled=${off} onClick=${() => run.command("stop")}>Stop</button>
    <span class="moment muted small" data-step=${at.step}>${sayStep(at)}${run.isReplay ? ` · ${at.num_steps} recorded` : ""}</span>
  </div>`;
}
