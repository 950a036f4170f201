// Find what is under a pointer.
import { boxOf, field } from "./item.js";

const NEAR_PIXELS = 5;

function isWithin([left, top, wide, high], [x, y], near) {
  return x >= left - near && x <= left + wide + near && y >= top - near && y <= top + high + near;
}

/**
 * Find the items at a place, the topmost first.
 * @returns {{x, y, items, key, label, source}} key, label and source of the topmost that has one
 */
export function pick(scene, view, [x, y]) {
  const near = NEAR_PIXELS / view.scale;
  const items = [];
  for (let k = scene.items.length - 1; k >= 0; k--) {
    const item = scene.items[k];
    if (item[0] === "trail" || (item[0] === "polyline" && !item[6])) continue;
    const small = item[0] === "glyph" || item[0] === "circle" || item[0] === "bars" ? near / 2 : 0;
    if (isWithin(boxOf(item), [x, y], small)) items.push(item);
  }
  const first = (name, none) => items.map((item) => field(item, name, none))
    .find((value) => value.length > 0) ?? none;
  const named = items.find((item) => item[0] !== "text" && field(item, "label"));
  return {
    x,
    y,
    items,
    key: first("key", ""),
    label: named ? labelOf(named) : first("label", ""),
    source: first("source", []),
  };
}

/** Say what an item is, with the shares of its bars. */
export function labelOf(item) {
  const label = field(item, "label");
  const names = field(item, "names", []);
  if (item[0] !== "bars" || names.length === 0) return label;
  const shares = item[5].map((value, k) => `${names[k]} ${value < 0 ? "unknown" : `${Math.round(value * 100)} %`}`);
  return [label, shares.join(", ")].filter(Boolean).join(": ");
}
