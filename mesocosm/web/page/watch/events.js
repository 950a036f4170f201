// What happened, the newest first; each leads to its moment.
import { html, useState } from "../lib/html.js";

const MOST_SHOWN = 100;

function Line({ run, event }) {
  const key = event.actor >= 0 ? { key: `agent ${event.actor}` } : null;
  const point = (on) => () => { run.highlight.value = on ? key : null; };
  return html`<li><button type="button" class="plain event" onClick=${() => run.jump(event.step)}
      onMouseEnter=${point(true)} onMouseLeave=${point(false)} onFocus=${point(true)} onBlur=${point(false)}>
    <span class="when">${event.step}</span> ${event.text}</button></li>`;
}

/** List events. */
export function Events({ run }) {
  const [filter, setFilter] = useState("");
  run.settled.value; // so that new rows show
  const all = run.events.sorted;
  const words = filter.toLowerCase();
  const fitting = words ? all.filter(({ text }) => text.toLowerCase().includes(words)) : all;
  const shown = fitting.slice(-MOST_SHOWN).reverse();
  const lead = run.isReplay ? "Choose one to go to its step." : "Choose one to fork the run from its step.";
  return html`<section class="panel events"><h2>Events</h2>
    ${all.length === 0 ? html`<p class="muted small">No events yet.</p>` : html`
      <p class="muted small">${lead}</p>
      <input type="search" aria-label="Find events" placeholder="Find events" value=${filter}
        onInput=${(event) => setFilter(event.target.value)} />
      <div class="room" tabindex="0" role="region" aria-label="Events"><ol>
        ${shown.map((event, k) => html`<${Line} key=${fitting.length - k} run=${run} event=${event} />`)}</ol></div>
      ${fitting.length > shown.length && html`<p class="muted small">The last ${shown.length} of ${fitting.length}.</p>`}`}
  </section>`;
}
