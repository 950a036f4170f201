// Lines of a chart as numbers: put on one axis, grouped, said in words.

/** Put lines on one x axis: [xs, ys, ys, ...]; null where a line has no point. */
export function alignLines(lines) {
  const xs = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, k) => [x, k]));
  const spread = (line, values) => {
    const made = new Array(xs.length).fill(null);
    line.x.forEach((x, k) => { made[place.get(x)] = values[k] ?? null; });
    return made;
  };
  return { xs, spread };
}

/** Give the value at a place of the axis, or the last one before it. */
export function valueAt(values, index) {
  for (let k = Math.min(index, values.length - 1); k >= 0; k -= 1) {
    if (values[k] !== null && values[k] !== undefined) return values[k];
  }
  return null;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Make one line of several: the median where at least two have a value, with their range. */
export function summariseLines(name, lines) {
  if (lines.length === 1) return { ...lines[0], name };
  const { xs, spread } = alignLines(lines);
  const columns = lines.map((line) => spread(line, line.y));
  const made = { name, x: [], y: [], low: [], high: [], count: lines.length };
  xs.forEach((x, k) => {
    const known = columns.map((column) => column[k]).filter((value) => value !== null);
    if (known.length < 2) return;
    made.x.push(x);
    made.y.push(median(known));
    made.low.push(Math.min(...known));
    made.high.push(Math.max(...known));
  });
  return made;
}

/** Give entries by what `name` says of them, in the order of the first of each: [[name, entries]]. */
export function groupBy(entries, name) {
  const groups = new Map();
  for (const entry of entries) {
    const key = name(entry);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(entry);
  }
  return [...groups];
}

/** Choose at most `most` indices of `count`, evenly, the last one among them. */
export function sampleIndices(count, most) {
  if (count <= most) return Array.from({ length: count }, (_, k) => k);
  return Array.from({ length: most }, (_, k) => Math.round((k * (count - 1)) / (most - 1)));
}
