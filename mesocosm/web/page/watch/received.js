// What an agent received, number by number: by name, with a bar, and linked with the picture.
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { theme } from "../lib/theme.js";
import { short } from "../lib/ui.js";
import { entryOf, groupsOf, isMarked, openAtFirst, rowsOf, treeOf, valuesOf } from "./numbers.js";
import { LongList } from "./virtual.js";

const ROW_PIXELS = 28;
const STRIP = [80, 16]; // pixels of the small picture of many numbers

const share = (value, { low, high }) =>
  (high > low && Number.isFinite(high - low) ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0);

/** Draw many numbers as thin bars. */
function Strip({ node, values }) {
  const canvas = useRef(null);
  useEffect(() => {
    const [width, height] = STRIP;
    const ratio = devicePixelRatio || 1;
    const element = canvas.current;
    [element.width, element.height] = [width * ratio, height * ratio];
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = getComputedStyle(element).color;
    const step = width / values.length;
    const columns = Math.min(values.length, width);
    for (let k = 0; k < columns; k++) {
      const from = Math.floor((k * values.length) / columns);
      const to = Math.max(Math.floor(((k + 1) * values.length) / columns), from + 1);
      const high = Math.max(...values.slice(from, to).map((value) => share(value, node))) * height;
      context.fillRect((k * width) / columns, height - high, Math.max(step - 1, 1), high);
    }
  }, [values.join(), theme.value]);
  return html`<canvas class="strip" ref=${canvas} aria-hidden="true"></canvas>`;
}

function Bar({ node, value }) {
  return html`<span class="bar" aria-hidden="true"><span style=${`width:${share(value, node) * 100}%`}></span></span>`;
}

function hint(node) {
  const unit = node.unit ? ` ${node.unit}` : "";
  const about = node.meaning ? `${node.name}: ${node.meaning}` : node.name;
  return `${about} (${short(node.low)} to ${short(node.high)}${unit})`;
}

function NumberCells({ node, frame }) {
  const [value] = valuesOf(node, frame);
  const words = node.part === "mask" ? (value ? "allowed" : "no") : short(value);
  return html`<span role="cell" class="of-name">${node.name}</span>
    <span role="cell" class="of-bar"><${Bar} node=${node} value=${value} /></span>
    <span role="cell" class="of-value" data-entry=${entryOf(node)} data-value=${JSON.stringify(value)}
      title=${value}>${words} <small>${node.unit}</small></span>`;
}

function GroupCells({ node, frame, isOpen, toggle }) {
  const values = valuesOf(node, frame);
  return html`<span role="cell" class="of-name"><button type="button" class="plain opener"
      aria-expanded=${isOpen} onClick=${() => toggle(node.id)}>
      <span aria-hidden="true">${isOpen ? "▾" : "▸"}</span> ${node.name}</button></span>
    <span role="cell" class="of-bar">${node.told === undefined ? html`<${Strip} node=${node} values=${values} />`
      : html`<${Bar} node=${node} value=${values[2]} />`}</span>
    <span role="cell" class="of-value">${node.told ?? html`<small>${node.size} numbers</small>`}</span>`;
}

function Row({ row, index, frame, marked, point, toggle }) {
  if (row.head) {
    return html`<div class="number-row number-head" role="row" aria-rowindex=${index + 1}>
      <span role="columnheader">${row.head}</span></div>`;
  }
  const { node, level } = row;
  const kind = `number-row${isMarked(node, marked) ? " marked" : ""}`;
  const on = () => point({ entry: entryOf(node) });
  return html`<div class=${kind} role="row" aria-rowindex=${index + 1} title=${hint(node)}
      style=${`--level:${level - 1}`} onMouseEnter=${on} onMouseLeave=${() => point(null)}
      onFocusIn=${on} onFocusOut=${() => point(null)}>
    ${row.isGroup
      ? html`<${GroupCells} node=${node} frame=${frame} isOpen=${row.isOpen} toggle=${toggle} />`
      : html`<${NumberCells} node=${node} frame=${frame} />`}</div>`;
}

/** Show all that an agent received. */
export function Received({ run }) {
  const frame = run.calm.value;
  const role = frame && run.roleOf(frame.agent);
  if (!frame || !role) return html`<p class="muted">Nothing was received yet.</p>`;
  return html`<${ReceivedOf} key=${role.name} run=${run} frame=${frame} role=${role} />`;
}

function ReceivedOf({ run, frame, role }) {
  const tree = useMemo(() => treeOf(role), [role]);
  const [open, setOpen] = useState(() => openAtFirst(tree));
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState(null);
  const marked = run.picked.value?.source ?? [];
  const obs = role.tokens ? frame.obs : null;
  const rows = useMemo(() => rowsOf(tree, { open, filter, obs: frame.obs }), [tree, open, filter, obs]);
  useEffect(() => {
    if (marked.length > 0) setOpen((before) => new Set([...before, ...groupsOf(tree, marked)]));
  }, [run.picked.value]);
  useEffect(() => {
    if (marked.length === 0) return;
    const index = rows.findIndex((row) => row.node && (!row.isGroup || row.node.told !== undefined)
      && isMarked(row.node, marked));
    setShown({ index, turn: (shown?.turn ?? 0) + 1 });
  }, [run.picked.value, open]);
  const toggle = (id) => setOpen((before) => {
    const after = new Set(before);
    if (!after.delete(id)) after.add(id);
    return after;
  });
  const point = (highlight) => { run.highlight.value = highlight; };
  return html`<div class="received">
    <input type="search" aria-label="Find a number by its name" placeholder="Find a number by its name"
      value=${filter} onInput=${(event) => setFilter(event.target.value)} />
    <${LongList} rows=${rows} height=${ROW_PIXELS} shown=${shown} label="What the agent received"
      render=${(row, index) => html`<${Row} key=${row.id ?? row.node.id} row=${row} index=${index}
        frame=${frame} marked=${marked} point=${point} toggle=${toggle} />`} />
    ${rows.length === 0 && html`<p class="muted">No number has this name.</p>`}
  </div>`;
}
