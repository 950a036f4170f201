// Glyphs: vector drawings, kept as Path2D and, at the size shown, as small pictures.
import { paintsOf } from "./colours.js";

const MOST_PICTURES = 1500;
const LARGEST_PICTURE = 96; // pixels; larger ones are rare, and are drawn as vectors
const paths = new Map();
let pictures = new Map();

function pathOf(text) {
  let found = paths.get(text);
  if (!found) paths.set(text, (found = new Path2D(text)));
  return found;
}

/** Draw a glyph's parts into a square of some pixels round a place. */
export function drawParts(context, parts, box, paints, { x, y, size, turn = 0 }) {
  const unit = size / box;
  context.save();
  context.translate(x, y);
  if (turn) context.rotate((turn * Math.PI) / 180);
  context.scale(unit, unit);
  context.translate(-box / 2, -box / 2);
  context.lineJoin = "round";
  for (const [paint, path, line = 0] of parts) {
    if (line) {
      context.strokeStyle = paints[paint] ?? paints.main;
      context.lineWidth = Math.max(line, 1 / unit);
      context.stroke(pathOf(path));
    } else {
      context.fillStyle = paints[paint] ?? paints.main;
      context.fill(pathOf(path));
    }
  }
  context.restore();
}

/** Give the picture of a glyph in device pixels; one is made for each look. */
function pictureOf(parts, box, paints, look, size, turn) {
  const name = `${look}|${size}|${turn}|${paints.main}|${paints.accent}|${paints.ink}`;
  let found = pictures.get(name);
  if (!found) {
    if (pictures.size > MOST_PICTURES) pictures = new Map();
    const side = Math.ceil(size * 1.25) + 2; // lines may reach out of the box
    found = new OffscreenCanvas(side, side);
    drawParts(found.getContext("2d"), parts, box, paints, { x: side / 2, y: side / 2, size, turn });
    pictures.set(name, found);
  }
  return found;
}

/** Draw a glyph item; scale is pixels per cell, ratio device pixels per pixel. */
export function drawGlyph(context, item, drawings, palette, { scale, ratio, left, top }) {
  const [, name, , , size, colour, turn = 0, opacity = 1, accent = ""] = item;
  const parts = drawings.glyphs[name];
  if (!parts) return;
  const paints = paintsOf(palette, colour, accent);
  const pixels = size * scale;
  const device = Math.round(pixels * ratio * 2) / 2;
  context.globalAlpha = opacity;
  if (device > LARGEST_PICTURE || device < 1) {
    drawParts(context, parts, drawings.box, paints, { x: left, y: top, size: pixels, turn });
    return;
  }
  const picture = pictureOf(parts, drawings.box, paints, name, device, Math.round(turn));
  const half = picture.width / 2;
  const x = Math.round(left * ratio - half) / ratio;
  const y = Math.round(top * ratio - half) / ratio;
  context.drawImage(picture, x, y, picture.width / ratio, picture.height / ratio);
}
