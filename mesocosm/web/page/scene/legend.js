// The legend of a scene, and what is in it as words.
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { colourOf, paintsOf } from "./colours.js";
import { drawParts } from "./glyph.js";
import { field } from "./item.js";
import { labelOf } from "./pick.js";
import { theme } from "../lib/theme.js";

const SIDE = 20;
const MOST_LINES = 200;

function Swatch({ entry, drawings, palette }) {
  const canvas = useRef(null);
  const [glyph, colour, , accent = ""] = entry;
  useEffect(() => {
    const ratio = devicePixelRatio || 1;
    const element = canvas.current;
    element.width = element.height = SIDE * ratio;
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    const parts = glyph && drawings.glyphs[glyph];
    if (parts) {
      const place = { x: SIDE / 2, y: SIDE / 2, size: SIDE - 2 };
      drawParts(context, parts, drawings.box, paintsOf(palette, colour, accent), place);
    } else {
      context.fillStyle = colourOf(palette, colour);
      context.beginPath();
      context.roundRect(3, 3, SIDE - 6, SIDE - 6, 3);
      context.fill();
      context.strokeStyle = colourOf(palette, "faint"); // of colours that are nearly the paper's
      context.lineWidth = 0.5;
      context.stroke();
    }
  }, [glyph, colour, accent, drawings, palette]);
  return html`<canvas ref=${canvas} class="scene-swatch" aria-hidden="true"></canvas>`;
}

/** Say what the glyphs and colours of a scene mean. */
export function SceneLegend({ scene, drawings }) {
  if (!scene || !drawings || scene.legend.length === 0) return null;
  const palette = drawings.themes[theme.value];
  return html`<ul class="scene-legend" aria-label="Legend">
    ${scene.legend.map((entry) => html`<li key=${entry.join("|")}>
      <${Swatch} entry=${entry} drawings=${drawings} palette=${palette} />${entry[2]}</li>`)}
  </ul>`;
}

/** List in words what a scene shows, once somebody opens it. */
export function SceneWords({ scene }) {
  const [open, setOpen] = useState(false);
  return html`<details class="scene-words" onToggle=${(event) => setOpen(event.target.open)}>
    <summary>The picture in words</summary>
    ${open && scene && html`<p>${scene.caption}</p>
      <ul>${describe(scene).map((line) => html`<li key=${line}>${line}</li>`)}</ul>`}
  </details>`;
}

/** Give the different labels of a scene, those of agents first; equal ones are counted. */
export function describe(scene) {
  const found = new Map();
  const named = scene.items.filter((item) => item[0] !== "text" && field(item, "label"));
  const isAgent = (item) => Number(field(item, "key").startsWith("agent "));
  named.sort((one, other) => isAgent(other) - isAgent(one));
  for (const item of named) {
    const label = labelOf(item);
    found.set(label, (found.get(label) ?? 0) + 1);
  }
  const lines = [...found].map(([label, count]) => (count > 1 ? `${count} × ${label}` : label));
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`] : lines;
}
