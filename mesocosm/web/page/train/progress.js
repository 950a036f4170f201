// How far a training is, how fast it goes, and where its time goes.
import { html, useMemo } from "../lib/html.js";
import { short } from "../lib/ui.js";
import { duration, timing } from "./curve.js";

const PARTS = [["env", "playing"], ["inference", "choosing actions"], ["learning", "learning"]];

export function Progress({ rows, updates, planned, ended }) {
  const time = useMemo(() => timing(rows, updates), [rows, updates]);
  const last = rows.at(-1);
  const done = last?.agent_steps ?? 0;
  const share = updates ? (last?.update ?? 0) / updates : planned ? Math.min(1, done / planned) : 0;
  const words = [
    `${done.toLocaleString("en")}${planned ? ` of ${planned.toLocaleString("en")}` : ""} agent-steps`,
    time && `${short(time.speed)} a second`,
    time && !ended && time.left !== null && `${duration(time.left)} left`,
    time && ended && `${duration(time.total)} in all`,
  ].filter(Boolean);
  return html`<section class="panel train-progress" aria-label="Progress">
    <label class="row"><span class="hidden">Share of the training that is done</span>
      <progress max="1" value=${share}></progress><b>${Math.round(100 * share)} %</b></label>
    <p class="train-words">${words.join(" · ")}</p>
    ${time && html`<${TimeShares} time=${time} />`}
  </section>`;
}

function TimeShares({ time }) {
  const share = (part) => (time.total ? time.parts[part] / time.total : 0);
  return html`<div class="train-time">
    <div class="time-bar" aria-hidden="true">${PARTS.map(([part], k) => html`<span key=${part}
      style=${`flex-grow:${share(part)};background:var(--series-${k + 1})`}></span>`)}</div>
    <ul class="small">${PARTS.map(([part, words], k) => html`<li key=${part}>
      <span class="time-mark" style=${`background:var(--series-${k + 1})`} aria-hidden="true"></span>
      ${words} <b>${Math.round(100 * share(part))} %</b></li>`)}</ul>
  </div>`;
}
