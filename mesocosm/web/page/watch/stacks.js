// Draw rows of named amounts as stacked bars over time: what adds goes up, what takes goes down.

const AXIS = 56; // pixels at the left for the numbers
const FOOT = 18; // pixels below for the steps
const WIDEST = 14;
const NARROWEST = 3;
export const NOTHING = 1e-12; // what sums of floats leave over

/** Say which rows fit, and how wide each bar is. */
export function layOut(rows, width) {
  const room = Math.max(width - AXIS, 1);
  const wide = Math.min(Math.max(room / Math.max(rows.length, 1), NARROWEST), WIDEST);
  const count = Math.min(rows.length, Math.floor(room / wide));
  return { wide, shown: rows.slice(rows.length - count) };
}

/** Give the row at a pixel. */
export function rowAt(rows, width, x) {
  const { wide, shown } = layOut(rows, width);
  return shown[Math.floor((x - AXIS) / wide)] ?? null;
}

function boundsOf(shown, names) {
  let [least, most] = [0, 0];
  for (const { terms } of shown) {
    let [up, down] = [0, 0];
    for (const name of names) {
      const value = terms[name] ?? 0;
      if (value > 0) up += value;
      else down += value;
    }
    [least, most] = [Math.min(least, down), Math.max(most, up)];
  }
  return most - least > NOTHING ? [least, most] : null;
}

/**
 * Draw the bars.
 * @param look width, height, names, colours by name, ink, line (colours), short(number)
 */
export function drawStacks(context, rows, look) {
  const { width, height, names } = look;
  context.clearRect(0, 0, width, height);
  const { wide, shown } = layOut(rows, width);
  const bounds = boundsOf(shown, names);
  if (!bounds) {
    drawNothing(context, look);
    return;
  }
  const [least, most] = bounds;
  const scale = (height - FOOT - 10) / (most - least);
  const zero = 5 + most * scale;
  drawAxis(context, look, { least, most, zero, scale });
  shown.forEach(({ terms }, k) => {
    let [up, down] = [zero, zero];
    const left = AXIS + k * wide;
    for (const name of names) {
      const size = (terms[name] ?? 0) * scale;
      context.fillStyle = look.colours[name];
      const gap = wide > 5 ? 1 : 0;
      if (size > 0) context.fillRect(left, up -= size, wide - gap, size);
      else if (size < 0) context.fillRect(left, down, wide - gap, -size), down -= size;
    }
  });
  drawFoot(context, look, shown, wide);
}

function drawNothing(context, { width, height, ink }) {
  context.font = "13px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillStyle = ink;
  context.fillText("Nothing was earned in the steps shown.", width / 2, height / 2);
}

function drawAxis(context, { width, ink, line, short }, { least, most, zero, scale }) {
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of new Set([least, 0, most])) {
    const top = zero - value * scale;
    context.fillStyle = line;
    context.fillRect(AXIS, Math.round(top), width - AXIS, 1);
    if (value !== 0 && Math.abs(top - zero) < 11) continue;
    context.fillStyle = ink;
    context.fillText(short(value), AXIS - 6, Math.max(top, 7));
  }
}

function drawFoot(context, { height, ink }, shown, wide) {
  if (shown.length === 0) return;
  context.fillStyle = ink;
  context.textBaseline = "bottom";
  context.textAlign = "left";
  context.fillText(`step ${shown[0].step}`, AXIS, height - 1);
  if (shown.length * wide < 140) return;
  context.textAlign = "right";
  context.fillText(String(shown.at(-1).step), AXIS + shown.length * wide, height - 1);
}
