// Paint scenes one after the other on a canvas; what stays the same from frame to frame is kept.
import { forgetCells } from "./cells.js";
import { drawBackground, drawHighlight, drawItems } from "./draw.js";
import { forgetText } from "./text.js";
import { sameView } from "./view.js";

const LEAST_KEPT = 24; // items: fewer are drawn faster than found to be the same
const STALE = 64; // items that are the same but not in the layer, before it is made anew

/** What was drawn, and how long it took: read by benchmarks/web_frames.py. */
export const drawn = { count: 0, milliseconds: 0 };

function sameItem(one, other) {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let k = 0; k < one.length; k++) {
    if (one[k] !== other[k] && !(Array.isArray(one[k]) && sameItem(one[k], other[k] ?? []))) {
      return false;
    }
  }
  return true;
}

/** Count the items at the beginning that two scenes have in common. */
function countSame(one, other) {
  const most = Math.min(one.length, other.length);
  let k = 0;
  while (k < most && sameItem(one[k], other[k])) k++;
  return k;
}

/** Paints one canvas. */
export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.layer = null; // {canvas, count, scene, view, palette, ratio}
    this.before = null; // the scene that was painted last
  }

  /** Paint a scene; options are those of `drawScene`. */
  paint(scene, drawings, palette, { width, height, view, highlight, time, ratio = 1 }) {
    const begun = performance.now();
    this.#resize(width, height, ratio);
    const { context } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const look = { view, palette, ratio, width, height };
    const kept = this.#keep(scene, drawings, look);
    if (kept) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.globalAlpha = 1;
      context.drawImage(kept.canvas, 0, 0);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    } else {
      drawBackground(context, scene, palette, width, height);
    }
    const rest = kept ? scene.items.slice(kept.count) : scene.items;
    drawItems(context, rest, drawings, palette, { view, ratio });
    drawHighlight(context, highlight ?? [], palette, { view, time });
    this.before = { scene, look };
    drawn.count += 1;
    drawn.milliseconds += performance.now() - begun;
  }

  #resize(width, height, ratio) {
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width === wide && this.canvas.height === high) return;
    this.canvas.width = wide;
    this.canvas.height = high;
    this.layer = null;
  }

  /** Give a layer with the items at the beginning of a scene, if they were the same before. */
  #keep(scene, drawings, look) {
    if (!this.before || !sameLook(this.before.look, look)) {
      this.layer = null;
      return null;
    }
    const before = this.before.scene;
    if (before.background !== scene.background) return null;
    const same = before === scene ? scene.items.length : countSame(before.items, scene.items);
    const layer = this.layer;
    if (layer && layer.count <= same && same - layer.count < STALE) return layer;
    if (same < LEAST_KEPT) return null;
    const canvas = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    const context = canvas.getContext("2d");
    context.setTransform(look.ratio, 0, 0, look.ratio, 0, 0);
    drawBackground(context, scene, look.palette, look.width, look.height);
    drawItems(context, scene.items.slice(0, same), drawings, look.palette, look);
    this.layer = { canvas, count: same };
    return this.layer;
  }

  /** Forget everything that was painted. */
  forget() {
    this.layer = this.before = null;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    forgetCells();
    forgetText();
  }
}

function sameLook(one, other) {
  return sameView(one.view, other.view) && one.palette === other.palette
    && one.ratio === other.ratio && one.width === other.width && one.height === other.height;
}
