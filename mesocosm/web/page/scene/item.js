// Items of a scene: where each kind keeps its fields, and the box that an item fills.

/** Fields of each kind in the order in which a list has them, after the kind. */
const FIELDS = {
  rect: "x y width height colour opacity round label key source",
  circle: "x y size colour opacity label key source",
  ring: "x y size colour line opacity fill turn sweep label key source",
  line: "x y end_x end_y size colour opacity label key source",
  polyline: "points size colour opacity fade closed label key source",
  trail: "x y size colour key steps reach",
  glyph: "name x y size colour turn opacity accent label key source",
  text: "x y size colour label align room halo key source",
  bars: "x y width height values colours upright names label key source",
  cells: "x y columns rows cells colours opacity size label key source",
};

const PLACES = Object.fromEntries(
  Object.entries(FIELDS).map(([kind, names]) => [
    kind,
    Object.fromEntries(names.split(" ").map((name, k) => [name, k + 1])),
  ]),
);

/** Give a field of an item, or what is meant where it was left out. */
export function field(item, name, otherwise = "") {
  const place = PLACES[item[0]]?.[name];
  return place === undefined ? otherwise : (item[place] ?? otherwise);
}

/** Give the box [x, y, width, height] that an item fills, in cells. */
export function boxOf(item) {
  const [kind, x, y] = item;
  if (kind === "rect" || kind === "bars") return [x, y, item[3], item[4]];
  if (kind === "circle" || kind === "ring") {
    return [x - item[3] / 2, y - item[3] / 2, item[3], item[3]];
  }
  if (kind === "line") return span([x, y, item[3], item[4]]);
  if (kind === "polyline") return span(item[1]);
  if (kind === "glyph") {
    return [item[2] - item[4] / 2, item[3] - item[4] / 2, item[4], item[4]];
  }
  if (kind === "text") return textBox(item);
  if (kind === "cells") {
    const size = field(item, "size", 1);
    return [x, y, item[3] * size, item[4] * size];
  }
  return [x, y, 0, 0];
}

function span(points) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; k += 2) {
    left = Math.min(left, points[k]);
    right = Math.max(right, points[k]);
    top = Math.min(top, points[k + 1]);
    bottom = Math.max(bottom, points[k + 1]);
  }
  return [left, top, right - left, bottom - top];
}

function textBox(item) {
  const [, x, y, size] = item;
  const wide = field(item, "room", 0) || field(item, "label").length * size * 0.55;
  const align = field(item, "align", "middle");
  const left = align === "start" ? x : align === "end" ? x - wide : x - wide / 2;
  return [left, y - size / 2, wide, size];
}

/** Read an entry of `source`: `obs:12-19` gives {part, first, last}, `info:age` {part, name}. */
export function readSource(entry) {
  const at = entry.indexOf(":");
  const part = entry.slice(0, at);
  const [first, last] = entry.slice(at + 1).split("-").map(Number);
  if (part === "info" || Number.isNaN(first)) return { part, name: entry.slice(at + 1) };
  return { part, first, last: last ?? first };
}

/** Say whether an item shows an entry of what was received, such as `obs:12` or `info:age`. */
export function shows(item, entry) {
  const sources = field(item, "source", []);
  if (sources.length === 0) return false;
  const wanted = readSource(entry);
  return sources.some((source) => {
    const has = readSource(source);
    if (has.part !== wanted.part) return false;
    if (has.name !== undefined) return has.name === wanted.name;
    return has.first <= wanted.last && wanted.first <= has.last;
  });
}

/** Find the items that a highlight means: {key}, {entry} or {box}; their boxes, the smallest first. */
export function findPlaces(scene, highlight) {
  if (!scene || !highlight) return [];
  if (highlight.box) return [highlight.box];
  const found = scene.items.filter((item) =>
    highlight.key ? field(item, "key") === highlight.key && item[0] !== "polyline"
      : shows(item, highlight.entry));
  const boxes = found.map(boxOf).sort((a, b) => a[2] * a[3] - b[2] * b[3]);
  return highlight.key ? boxes.slice(-1) : boxes;
}
