// Values of a config by their keys, and the overrides that make them.

/** Say whether something is a section or a map. */
export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Say whether two plain values are the same; the order of keys counts, as in a config. */
export function same(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** Give the value that keys lead to; undefined where there is none. */
export function valueAt(data, keys) {
  return keys.reduce((at, key) => (at === null || at === undefined ? undefined : at[key]), data);
}

/** Copy data with another value at its keys; undefined takes it out. */
export function withValue(data, [key, ...rest], value) {
  if (key === undefined) return value;
  const made = Array.isArray(data) ? [...data] : { ...(isObject(data) ? data : {}) };
  const inner = withValue(made[key], rest, value);
  if (inner !== undefined) made[key] = inner;
  else if (Array.isArray(made)) made.splice(Number(key), 1);
  else delete made[key];
  return made;
}

/** Give the dotted path of keys. */
export const pathOf = (keys) => keys.join(".");

/** Put overrides on a config. */
export function applyOverrides(config, overrides) {
  return Object.entries(overrides).reduce(
    (data, [path, value]) => withValue(data, path.split("."), value), config,
  );
}

/** Give the override that already decides some keys: its own keys, or null. */
function decidedBy(overrides, keys) {
  for (let count = 1; count <= keys.length; count++) {
    const head = keys.slice(0, count);
    if (Object.hasOwn(overrides, pathOf(head)) && !head.some(hasDot)) return head;
  }
  return null;
}

const hasDot = (key) => String(key).includes(".");

/** Give how far an override can reach: not into lists, nor to keys with a dot, nor take keys out. */
function reachOf(config, keys, value) {
  let count = 0;
  let at = config;
  while (count < keys.length && !hasDot(keys[count]) && (count === 0 || isObject(at) || at === undefined || at === null)) {
    at = at?.[keys[count]];
    count += 1;
  }
  if (value === undefined && count === keys.length) count -= 1; // the map is written anew without it
  return keys.slice(0, count);
}

/**
 * Give overrides after a change, as few as can be.
 * @param base the config without any override
 * @param config the config as it is shown
 * @param value undefined takes an entry of a map or list out
 */
export function setOverride(overrides, { base, config }, keys, value) {
  const head = decidedBy(overrides, keys) ?? reachOf(config, keys, value);
  const path = pathOf(head);
  const whole = withValue(valueAt(config, head), keys.slice(head.length), value);
  const rest = Object.entries(overrides).filter(([other]) => other !== path && !other.startsWith(`${path}.`));
  return same(whole, valueAt(base, head)) ? Object.fromEntries(rest) : { ...Object.fromEntries(rest), [path]: whole };
}

/** Give overrides without what they do at some keys. */
export function takeBack(overrides, { base, config }, keys) {
  if (Object.hasOwn(overrides, pathOf(keys))) {
    const { [pathOf(keys)]: _, ...rest } = overrides;
    return rest;
  }
  return setOverride(overrides, { base, config }, keys, valueAt(base, keys));
}
