// Rasters of a scene: one pixel per cell in a small picture, which is drawn large.
import { colourOf } from "./colours.js";

const MOST_KEPT = 40;
const pictures = new Map();

function paint(codes, columns, rows, colours, palette) {
  const made = new OffscreenCanvas(columns, rows);
  const context = made.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const table = new Map(colours.map((name, k) => {
    const hex = colourOf(palette, name);
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return [k.toString(36), ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0];
  }));
  for (let k = 0; k < codes.length; k++) pixels[k] = table.get(codes[k]) ?? 0;
  context.putImageData(image, 0, 0);
  return made;
}

/** Draw a raster item; left and top are its corner in pixels, scale is pixels per cell. */
export function drawCells(context, item, palette, scale, left, top) {
  const [, , , columns, rows, codes, colours, opacity = 1, size = 1] = item;
  if (columns < 1 || rows < 1) return;
  const name = `${columns}|${colours.join()}|${palette.paper}|${codes}`;
  let picture = pictures.get(name);
  if (!picture) {
    if (pictures.size >= MOST_KEPT) pictures.delete(pictures.keys().next().value);
    picture = paint(codes, columns, rows, colours, palette);
    pictures.set(name, picture);
  }
  const side = size * scale;
  context.globalAlpha = opacity;
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, columns * side, rows * side);
  context.imageSmoothingEnabled = true;
}

/** Forget the rasters that were drawn. */
export function forgetCells() {
  pictures.clear();
}
