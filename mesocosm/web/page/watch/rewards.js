// Rewards over time: the terms of a role or of one agent as stacked bars.
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { theme } from "../lib/theme.js";
import { short } from "../lib/ui.js";
import { agentOf } from "./store.js";
import { NOTHING, drawStacks, rowAt } from "./stacks.js";

const COLOURS = 10; // of kinds in a palette

/** Give rows {step, terms} of whoever is looked at, and the names of the terms. */
function seriesOf(run, who) {
  const agent = agentOf(run.perspective.value);
  if (agent !== null) {
    return { names: ["reward"], rows: run.moments.map(({ step, reward }) => ({ step, terms: { reward } })) };
  }
  const selected = run.selected.value;
  const role = selected === null ? run.detail.value?.roles.find(({ name }) => name === who) : run.roleOf(selected);
  const names = role?.terms.map(({ name }) => name) ?? [];
  if (selected !== null) {
    const rows = run.moments.map(({ step, agents }) => ({ step, terms: agents?.[selected]?.terms ?? {} }));
    return { names, rows, role };
  }
  const rows = run.metrics.sorted.map(({ step, terms }) => ({ step, terms: terms[who] ?? {} }));
  return { names, rows, role };
}

function Chart({ rows, names, colours, onPoint, onChoose }) {
  const canvas = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = canvas.current;
    const sizes = new ResizeObserver(() => setWidth(element.clientWidth));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const height = element.clientHeight;
    if (width < 1) return;
    const ratio = devicePixelRatio || 1;
    [element.width, element.height] = [width * ratio, height * ratio];
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(element);
    const look = { width, height, names, colours, short, ink: style.color, line: style.borderTopColor };
    drawStacks(context, rows, look);
  });
  const find = (event) => rowAt(rows, width, event.offsetX);
  const last = rows.at(-1);
  const words = last ? names.map((name) => `${name} ${short(last.terms[name])}`).join(", ") : "none yet";
  return html`<canvas class="stacks" ref=${canvas} role="img" aria-label=${`Rewards over time; last: ${words}`}
    onPointerMove=${(event) => onPoint(find(event))} onPointerLeave=${() => onPoint(null)}
    onClick=${(event) => { const row = find(event); if (row) onChoose(row.step); }}></canvas>`;
}

function Legend({ names, colours, row, role }) {
  const meaning = (name) => role?.terms.find((term) => term.name === name)?.meaning ?? "";
  return html`<ul class="stack-legend" aria-label="Terms of the reward">${names.map((name) => html`<li key=${name}
    title=${meaning(name)}><span class="patch" style=${`background:${colours[name]}`}></span>${name}
    <span class="value">${tidy(row?.terms[name])}</span></li>`)}</ul>`;
}

const tidy = (value) => short(Math.abs(value) < NOTHING ? 0 : value);

/** Show rewards over time. */
export function Rewards({ run }) {
  const [chosen, choose] = useState("");
  const [pointed, point] = useState(null);
  run.settled.value; // so that new rows show
  const roles = run.detail.value?.roles ?? [];
  const palette = run.drawings.value?.themes[theme.value];
  if (roles.length === 0 || !palette) return null;
  const agent = agentOf(run.perspective.value) ?? run.selected.value;
  const who = chosen || roles[0].name;
  const { names, rows, role } = seriesOf(run, who);
  const colours = Object.fromEntries(names.map((name, k) => [name, palette[`kind${k % COLOURS}`]]));
  const shown = pointed ?? rows.at(-1);
  const many = agent === null && roles.length > 1;
  return html`<section class="panel rewards"><div class="row"><h2>${title(run, agent, who, roles)}</h2>
      ${many && html`<label class="small">Role <select value=${who} onChange=${(event) => choose(event.target.value)}>
        ${roles.map(({ name }) => html`<option key=${name}>${name}</option>`)}</select></label>`}
      <span class="muted small">${shown ? `at step ${shown.step}` : ""}</span></div>
    <${Legend} names=${names} colours=${colours} row=${shown} role=${role} />
    <${Chart} rows=${rows} names=${names} colours=${colours} onPoint=${point} onChoose=${(step) => run.jump(step)} />
    ${hasGaps(rows) && html`<p class="muted small">Each bar is one step; of a fast run some are left out.</p>`}
  </section>`;
}

const hasGaps = (rows) => rows.some(({ step }, k) => k > 0 && step > rows[k - 1].step + 1);

function title(run, agent, who, roles) {
  if (agentOf(run.perspective.value) !== null) return `Reward that agent ${agent} received`;
  if (agent !== null) return `Reward of agent ${agent}, by term`;
  return roles.length > 1 ? `Reward of ${who}, by term` : "Reward by term, mean of all agents";
}
