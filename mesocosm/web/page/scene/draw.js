// Draw a scene of docs/scenes.md on a canvas.
import { colourOf } from "./colours.js";
import { drawGlyph } from "./glyph.js";
import { drawCells } from "./cells.js";
import { drawText } from "./text.js";
import { fitView } from "./view.js";

const DEGREE = Math.PI / 180;
const LEAST_BAR = 2; // pixels: thinner bars are not drawn

/** What all items of one drawing share: context `c`, palette, and where cells are in pixels. */
class Pen {
  constructor(context, drawings, palette, view, ratio) {
    this.c = context;
    this.drawings = drawings;
    this.palette = palette;
    this.scale = view.scale;
    this.ratio = ratio;
    this.view = view;
  }

  x(cells) {
    return (cells - this.view.x) * this.scale;
  }

  y(cells) {
    return (cells - this.view.y) * this.scale;
  }

  colour(name) {
    return colourOf(this.palette, name);
  }

  stroke(colour, size, opacity) {
    this.c.globalAlpha = opacity;
    this.c.strokeStyle = this.colour(colour);
    this.c.lineWidth = Math.max(size * this.scale, 1);
    this.c.stroke();
  }

  fill(colour, opacity) {
    this.c.globalAlpha = opacity;
    this.c.fillStyle = this.colour(colour);
    this.c.fill();
  }
}

function rect(pen, [, x, y, width, height, colour, opacity = 1, round = 0]) {
  const { c, scale } = pen;
  if (!round) {
    c.globalAlpha = opacity;
    c.fillStyle = pen.colour(colour);
    c.fillRect(pen.x(x), pen.y(y), width * scale, height * scale);
    return;
  }
  c.beginPath();
  c.roundRect(pen.x(x), pen.y(y), width * scale, height * scale, round * scale);
  pen.fill(colour, opacity);
}

function circle(pen, [, x, y, size, colour, opacity = 1]) {
  pen.c.beginPath();
  pen.c.arc(pen.x(x), pen.y(y), (size * pen.scale) / 2, 0, 2 * Math.PI);
  pen.fill(colour, opacity);
}

function ring(pen, item) {
  const [, x, y, size, colour, line = 0, opacity = 1, fill = 0, turn = 0, sweep = 360] = item;
  const { c } = pen;
  const radius = (size * pen.scale) / 2;
  const [first, last] = [(turn - sweep / 2) * DEGREE, (turn + sweep / 2) * DEGREE];
  if (fill) {
    c.beginPath();
    if (sweep < 360) c.moveTo(pen.x(x), pen.y(y));
    c.arc(pen.x(x), pen.y(y), radius, first, last);
    pen.fill(colour, fill);
  }
  c.beginPath();
  c.arc(pen.x(x), pen.y(y), radius, first, last);
  pen.stroke(colour, line, opacity);
}

function line(pen, [, x, y, endX, endY, size, colour, opacity = 1]) {
  pen.c.beginPath();
  pen.c.moveTo(pen.x(x), pen.y(y));
  pen.c.lineTo(pen.x(endX), pen.y(endY));
  pen.stroke(colour, size, opacity);
}

function polyline(pen, [, points, size, colour, opacity = 1, fade = false, closed = false]) {
  const { c } = pen;
  const pieces = points.length / 2 - 1;
  if (fade) {
    for (let k = 0; k < pieces; k++) {
      const share = (k + 1) / pieces;
      c.beginPath();
      c.moveTo(pen.x(points[2 * k]), pen.y(points[2 * k + 1]));
      c.lineTo(pen.x(points[2 * k + 2]), pen.y(points[2 * k + 3]));
      pen.stroke(colour, size * share, opacity * share);
    }
    return;
  }
  c.beginPath();
  for (let k = 0; k <= pieces; k++) c.lineTo(pen.x(points[2 * k]), pen.y(points[2 * k + 1]));
  if (closed) pen.fill(colour, opacity);
  else pen.stroke(colour, size, opacity);
}

function glyph(pen, item) {
  const { scale, ratio } = pen;
  const place = { scale, ratio, left: pen.x(item[2]), top: pen.y(item[3]) };
  drawGlyph(pen.c, item, pen.drawings, pen.palette, place);
}

function text(pen, item) {
  drawText(pen.c, item, pen.palette, pen.scale, pen.x(item[1]), pen.y(item[2]));
}

function bars(pen, [, x, y, width, height, values, colours, upright = false]) {
  const { c, scale } = pen;
  const step = ((upright ? width : height) * scale) / values.length;
  if (step < LEAST_BAR) return;
  const thick = step - (values.length > 1 ? Math.min(0.2 * step, 2) : 0);
  const [left, top, wide, high] = [pen.x(x), pen.y(y), width * scale, height * scale];
  c.globalAlpha = 1;
  c.fillStyle = pen.palette.plate;
  values.forEach((value, k) => {
    if (upright) c.fillRect(left + k * step, top, thick, high);
    else c.fillRect(left, top + k * step, wide, thick);
  });
  values.forEach((value, k) => {
    const share = Math.min(Math.max(value, 0), 1);
    c.fillStyle = pen.colour(colours[k % colours.length]);
    if (upright) c.fillRect(left + k * step, top + high * (1 - share), thick, high * share);
    else c.fillRect(left, top + k * step, wide * share, thick);
  });
}

function cells(pen, item) {
  drawCells(pen.c, item, pen.palette, pen.scale, pen.x(item[1]), pen.y(item[2]));
}

const KINDS = { rect, circle, ring, line, polyline, glyph, text, bars, cells, trail() {} };

/** Draw some items over what is there. */
export function drawItems(context, items, drawings, palette, { view, ratio = 1 }) {
  const pen = new Pen(context, drawings, palette, view, ratio);
  for (const item of items) KINDS[item[0]]?.(pen, item);
  context.globalAlpha = 1;
}

/** Fill a canvas with a scene's background. */
export function drawBackground(context, scene, palette, width, height) {
  context.globalAlpha = 1;
  context.fillStyle = colourOf(palette, scene.background ?? "paper");
  context.fillRect(0, 0, width, height);
}

/**
 * Draw a whole scene.
 * @param drawings what the server gives under `drawings`: {box, glyphs, themes}
 * @param palette colours by name: `drawings.themes.light` or `.dark`
 * @param options width and height in pixels; view (else all of it); highlight: boxes in cells;
 *   time: milliseconds since they were lit up; ratio: device pixels per pixel
 */
export function drawScene(context, scene, drawings, palette, options) {
  const { width, height, highlight = [], time = Infinity, ratio = 1 } = options;
  const view = options.view ?? fitView(scene, width, height);
  drawBackground(context, scene, palette, width, height);
  drawItems(context, scene.items, drawings, palette, { view, ratio });
  drawHighlight(context, highlight, palette, { view, time });
}

/** Draw rings round places; for the first moments they close in on them. */
export function drawHighlight(context, boxes, palette, { view, time = Infinity }) {
  const grown = 3 + 18 * Math.max(0, 1 - time / 500);
  for (const [x, y, width, height] of boxes) {
    const left = (x - view.x) * view.scale - grown;
    const top = (y - view.y) * view.scale - grown;
    const [wide, high] = [width * view.scale + 2 * grown, height * view.scale + 2 * grown];
    context.beginPath();
    context.roundRect(left, top, wide, high, Math.min(8, wide / 2, high / 2));
    context.lineWidth = 5;
    context.strokeStyle = palette.paper;
    context.stroke();
    context.lineWidth = 2.5;
    context.strokeStyle = palette.bad ?? palette.accent;
    context.stroke();
  }
}
