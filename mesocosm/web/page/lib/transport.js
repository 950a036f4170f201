// Controls of time, for runs that go on and for recordings alike.
import { html, useState } from "./html.js";

export const SPEEDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 0];

const saySpeed = (speed) => (speed === 0 ? "as fast as can be" : `${speed} step${speed === 1 ? "" : "s"}/s`);

/** Say where in time a run is. */
export const sayStep = ({ step, episode, t }) => `step ${step} · episode ${episode + 1}, its step ${t}`;

/** Give the next speed up or down the list. */
export function nextSpeed(speed, up) {
  const order = (value) => (value === 0 ? Infinity : value);
  const sorted = [...SPEEDS].sort((one, other) => order(one) - order(other));
  const fitting = sorted.filter((value) =>
    (up ? order(value) > order(speed) : order(value) < order(speed)));
  return (up ? fitting[0] : fitting.at(-1)) ?? speed;
}

/** Choose how many steps are played in a second. */
export function SpeedChoice({ speed, off, onChange }) {
  const known = SPEEDS.includes(speed) ? SPEEDS : [speed, ...SPEEDS];
  return html`<label class="speed">Speed <select value=${String(speed)} disabled=${off}
      onChange=${(event) => onChange(Number(event.target.value))}>
    ${known.map((value) => html`<option key=${value} value=${String(value)}>${saySpeed(value)}</option>`)}
  </select></label>`;
}

/** Play or pause; `children` say something else than that. */
export function PlayButton({ isPaused, off, title, onPress, children }) {
  return html`<button type="button" class="main play" disabled=${off} title=${title} onClick=${onPress}>
    <span aria-hidden="true">${isPaused ? "▶" : "❚❚"}</span> ${children ?? (isPaused ? "Play" : "Pause")}</button>`;
}

/** Go some steps; `label` is what a screen reader says. */
export function StepButton({ label, title = label, off, onPress, children }) {
  return html`<button type="button" disabled=${off} title=${title} aria-label=${label} onClick=${onPress}>${children}</button>`;
}

/** A slider over the steps; it stays where it is dragged to until `onDrop` is done. */
export function StepSlider({ at, most, label, onMove, onDrop }) {
  const [held, setHeld] = useState(null);
  const move = (event) => {
    setHeld(Number(event.target.value));
    onMove?.(Number(event.target.value));
  };
  const drop = async (event) => {
    await onDrop?.(Number(event.target.value));
    setHeld(null);
  };
  return html`<input class="scrub" type="range" min="0" max=${most ?? 0} value=${held ?? at} disabled=${!most}
    aria-label=${label} aria-valuetext=${`step ${held ?? at} of ${most}`} onInput=${move} onChange=${drop} />`;
}
