// Text of a scene: never lower than ten pixels, made smaller or cut where there is little room.
import { colourOf } from "./colours.js";

export const LEAST_PIXELS = 10;
const LEAST_SHOWN = 6.5; // pixels: lines of a table that are lower would lie over each other
const LEAST_LETTERS = 3;
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const MEASURED = 100; // pixels
const MOST_KEPT = 4000;
const ALIGN = { middle: "center", start: "left", end: "right" };
const widths = new Map();
const fitted = new Map();

function widthOf(context, words, pixels) {
  let wide = widths.get(words);
  if (wide === undefined) {
    if (widths.size > MOST_KEPT) widths.clear();
    context.font = `${MEASURED}px ${FAMILY}`;
    wide = context.measureText(words).width;
    widths.set(words, wide);
  }
  return (wide * pixels) / MEASURED;
}

/** Give {words, pixels} that fit into some pixels of width, or null where nothing does. */
export function fitText(context, words, size, room) {
  const pixels = Math.max(LEAST_PIXELS, size);
  if (!room || widthOf(context, words, pixels) <= room) return { words, pixels };
  const name = `${words}\n${pixels.toFixed(2)}\n${room.toFixed(2)}`;
  let found = fitted.get(name);
  if (found === undefined) {
    if (fitted.size > MOST_KEPT) fitted.clear();
    found = shorten(context, words, pixels, room);
    fitted.set(name, found);
  }
  return found;
}

function shorten(context, words, pixels, room) {
  const smaller = Math.max(
    LEAST_PIXELS, Math.floor((pixels * room) / widthOf(context, words, pixels)),
  );
  if (widthOf(context, words, smaller) <= room) return { words, pixels: smaller };
  for (let k = words.length - 1; k >= LEAST_LETTERS; k--) {
    const cut = `${words.slice(0, k).trimEnd()}…`;
    if (widthOf(context, cut, smaller) <= room) return { words: cut, pixels: smaller };
  }
  return null;
}

/** Draw a text item; `scale` is pixels per cell, left and top its place in pixels. */
export function drawText(context, item, palette, scale, left, top) {
  const [, , , size, colour, label = "", align = "middle", room = 0, halo = ""] = item;
  if (room && size * scale < LEAST_SHOWN) return;
  const found = label ? fitText(context, label, size * scale, room * scale) : null;
  if (!found) return;
  context.globalAlpha = 1;
  context.font = `${found.pixels}px ${FAMILY}`;
  context.textAlign = ALIGN[align] ?? "center";
  context.textBaseline = "middle";
  if (halo) {
    context.strokeStyle = colourOf(palette, halo);
    context.lineWidth = (found.pixels * 2) / 7;
    context.lineJoin = "round";
    context.strokeText(found.words, left, top);
  }
  context.fillStyle = colourOf(palette, colour);
  context.fillText(found.words, left, top);
}

/** Forget the words that were drawn. */
export function forgetText() {
  widths.clear();
  fitted.clear();
}
