// Views: which part of a scene a canvas shows. {x, y} is its top left corner in cells, scale is
// pixels per cell.

export const MARGIN = 6; // pixels round a scene that is fitted
const LEAST_SCALE = 0.2;
const MOST_SCALE = 400;

/** Give the view that shows a scene's box as large as fits. */
export function fitView(scene, width, height) {
  const [x, y, wide, high] = scene?.box ?? [0, 0, 1, 1];
  const scale = Math.max(
    Math.min((width - 2 * MARGIN) / (wide || 1), (height - 2 * MARGIN) / (high || 1)),
    LEAST_SCALE,
  );
  return { x: x + wide / 2 - width / scale / 2, y: y + high / 2 - height / scale / 2, scale };
}

/** Move a view by pixels. */
export function panView(view, right, down) {
  return { ...view, x: view.x + right / view.scale, y: view.y + down / view.scale };
}

/** Zoom a view so that what is at a pixel stays there. */
export function zoomView(view, factor, [left, top]) {
  const scale = Math.min(Math.max(view.scale * factor, LEAST_SCALE), MOST_SCALE);
  const change = 1 / view.scale - 1 / scale;
  return { x: view.x + left * change, y: view.y + top * change, scale };
}

/** Move a view so that a place is in its middle. */
export function centreView(view, [x, y], width, height) {
  return { ...view, x: x - width / view.scale / 2, y: y - height / view.scale / 2 };
}

/** Give the place in cells of a pixel. */
export function placeOf(view, left, top) {
  return [view.x + left / view.scale, view.y + top / view.scale];
}

/** Say whether two views are the same. */
export function sameView(one, other) {
  return Boolean(one && other) && one.x === other.x && one.y === other.y
    && one.scale === other.scale;
}
