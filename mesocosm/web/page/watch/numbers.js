// What an agent received as a tree of named numbers, and the rows of it that are open.
import { readSource } from "../scene/index.js";

const OPEN_SIZE = 12; // features of at most so many numbers are open at first

/** Give the tree of a role: features with their numbers, the mask by option, infos. */
export function treeOf(role) {
  const features = role.features.filter((feature) => feature.size > 0).map((feature) =>
    featureNode(feature, "obs", feature.offset, role.tokens));
  const infos = role.info.map((info) =>
    ({ ...featureNode(info, "info", info.offset), info: info.name, base: info.offset }));
  return [
    { id: "obs", head: `Observation: ${role.shape.join(" × ")} numbers`, nodes: features },
    { id: "mask", head: "What the mask allows", nodes: maskNodes(role) },
    { id: "info", head: "Info", nodes: infos },
  ].filter((section) => section.nodes.length > 0);
}

function featureNode(feature, part, first, tokens) {
  const { name, shape, size, unit, meaning, labels, glosses, absent, range: [low, high] } = feature;
  const node = { id: `${part}.${name}`, part, name, meaning, unit, low, high, absent, first, size };
  if (part === "obs" && tokens) return { ...node, tokens };
  return shape.length === 0 ? node : { ...node, shape, labels, glosses };
}

function maskNodes(role) {
  let first = 0;
  return role.parts.filter(({ kind, masked }) => kind === "choice" && masked).map((choice) => {
    const { part: name, options, meaning } = choice;
    const node = { id: `mask.${name}`, part: "mask", name, meaning, unit: "", low: 0, high: 1, first,
      size: options.length, shape: [options.length], labels: options, glosses: [] };
    first += options.length;
    return node;
  });
}

/** Give the children of a node, made when somebody opens it. */
function childrenOf(node) {
  if (!node.children) {
    const [count, ...rest] = node.shape;
    const size = node.size / count;
    node.children = Array.from({ length: count }, (_, k) => {
      const label = rest.length === 0 && node.labels.length > 0 ? node.labels[k] : String(k);
      const gloss = rest.length === 0 ? (node.glosses[k] ?? "") : "";
      const child = { ...node, id: `${node.id}.${label}`, name: label, meaning: gloss,
        first: node.first + k * size, size, shape: rest, children: undefined };
      return rest.length === 0 ? { ...child, shape: undefined } : child;
    });
  }
  return node.children;
}

/** Give the used tokens of a row as nodes, each with its three numbers. */
function tokenNodes(node, obs) {
  const { empty, anywhere, places, kinds } = node.tokens;
  const made = [];
  for (let k = 0; k * 3 < node.size; k++) {
    const first = node.first + k * 3;
    const [place, number, value] = [obs[first], obs[first + 1], obs[first + 2]];
    if (place === empty) continue;
    const kind = kinds[number] ?? { name: `feature ${number}`, labels: [] };
    const where = place === anywhere ? "anywhere" : (places[place] ?? place);
    made.push({ ...node, id: `${node.id}.${k}`, tokens: undefined, name: `${where}: ${kind.name}`,
      told: kind.labels[value] ?? value, high: kind.high ?? node.high, first, size: 3, shape: [3],
      labels: ["location", "feature", "value"], glosses: [], meaning: `token ${k}` });
  }
  return made;
}

/** Say which groups are open at first. */
export function openAtFirst(tree) {
  const nodes = tree.flatMap((section) => section.nodes);
  return new Set(nodes.filter((node) => node.tokens || (node.shape && node.size <= OPEN_SIZE))
    .map((node) => node.id));
}

/**
 * Give the rows to show: heads of sections, groups and numbers.
 * @param options open: ids of open groups; filter: words that names must have; obs: for tokens
 */
export function rowsOf(tree, { open, filter, obs }) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  const add = (node, level) => {
    const isGroup = Boolean(node.shape || node.tokens);
    const isOpen = isGroup && (open.has(node.id) || words.length > 0);
    const at = rows.length;
    if (isGroup) rows.push({ node, level, isGroup, isOpen });
    else if (fits(node, words)) rows.push({ node, level });
    if (!isOpen) return;
    const children = node.tokens ? tokenNodes(node, obs) : childrenOf(node);
    children.forEach((child) => add(child, level + 1));
    if (words.length > 0 && rows.length === at + 1 && !fits(node, words)) rows.pop();
  };
  for (const section of tree) {
    const at = rows.length;
    rows.push({ head: section.head, id: section.id });
    section.nodes.forEach((node) => add(node, 1));
    if (rows.length === at + 1) rows.pop();
  }
  return rows;
}

function fits(node, words) {
  const name = `${node.id} ${node.name}`.toLowerCase();
  return words.every((word) => name.includes(word));
}

/** Give the entry that a scene's items name: `obs:12`, `obs:12-19`, `info:age`. */
export function entryOf(node) {
  if (node.part === "info") return `info:${node.info}`;
  const last = node.first + node.size - 1;
  return node.size > 1 ? `${node.part}:${node.first}-${last}` : `${node.part}:${node.first}`;
}

/** Say whether a node has to do with entries of a source. */
export function isMarked(node, sources) {
  return sources.some((source) => {
    const wanted = readSource(source);
    if (wanted.part !== node.part) return false;
    if (wanted.name !== undefined) return node.part === "info" && entryOf(node) === source;
    return wanted.first < node.first + node.size && node.first <= wanted.last;
  });
}

/** Give the groups that have to be open for the numbers of a source to be seen. */
export function groupsOf(tree, sources) {
  const found = [];
  const add = (node) => {
    if (!isMarked(node, sources) || !(node.shape || node.tokens)) return;
    found.push(node.id);
    if (!node.tokens) childrenOf(node).forEach(add);
  };
  tree.forEach((section) => section.nodes.forEach(add));
  return found;
}

/** Give the numbers of a node out of a frame. */
export function valuesOf(node, frame) {
  if (node.part === "info") {
    const from = node.first - node.base;
    return [frame.info[node.info]].flat(Infinity).slice(from, from + node.size);
  }
  const row = node.part === "mask" ? frame.mask : frame.obs;
  return row.slice(node.first, node.first + node.size);
}
