// Actions in words, the keys that mean their options, and what a person may choose.

const WAYS = { up: ["ArrowUp", "w"], down: ["ArrowDown", "s"], left: ["ArrowLeft", "a"], right: ["ArrowRight", "d"] };
const WORDS = {
  up: "up", north: "up", forward: "up", forwards: "up",
  down: "down", south: "down", back: "down", backward: "down", backwards: "down",
  left: "left", west: "left", right: "right", east: "right",
};
const STILL = new Set(["noop", "wait", "stay", "none", "rest", "idle", "nothing", "pass"]);
const DIGITS = [..."1234567890"];
const SHOWN = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space" };

export const choicesOf = (role) => role.parts.filter(({ kind }) => kind === "choice");
export const levelsOf = (role) => role.parts.filter(({ kind }) => kind === "level");

const wordsOf = (option) => option.toLowerCase().split(/[^a-z]+/).filter(Boolean);

/**
 * Give the keys of a role's options: directions by arrows and WASD, doing nothing by space, the rest
 * of the first part by digits.
 * @returns {Map<string, {part: number, option: number}>}
 */
export function keysOf(role) {
  const keys = new Map();
  const choices = choicesOf(role);
  const offer = (key, meant) => !keys.has(key) && Boolean(keys.set(key, meant));
  choices.forEach(({ options }, part) => options.forEach((name, option) => {
    const way = wordsOf(name).map((word) => WORDS[word]).find(Boolean);
    if (way) WAYS[way].forEach((key) => offer(key, { part, option }));
    else if (part === 0 && wordsOf(name).some((word) => STILL.has(word))) offer(" ", { part, option });
  }));
  const digits = [...DIGITS];
  const meant = [...keys.values()];
  choices[0]?.options.forEach((name, option) => {
    const has = meant.some((other) => other.part === 0 && other.option === option);
    if (!has && digits.length > 0) keys.set(digits.shift(), { part: 0, option });
  });
  return keys;
}

/** Give the key to show for an option, or "". */
export function keyFor(keys, part, option) {
  const found = [...keys].find(([, meant]) => meant.part === part && meant.option === option);
  return found ? (SHOWN[found[0]] ?? found[0]) : "";
}

/** Say what an action does. */
export function sayAction(role, action) {
  if (!action || !role) return "–";
  const choices = choicesOf(role);
  const chosen = choices.map(({ options }, k) => options[action.choice[k]] ?? "?");
  const used = choices.map((part, k) => ({ part, words: chosen[k] }))
    .filter(({ part }) => isUsed(part, role, action.choice));
  const levels = levelsOf(role).map((part, k) => ({ part, words: Number(action.level[k]).toFixed(2) }))
    .filter(({ part }) => isUsed(part, role, action.choice));
  const all = [...used, ...levels];
  return all.length === 1 ? all[0].words : all.map(({ part, words }) => `${part.part} ${words}`).join(", ");
}

/** Say whether a part counts, given what is chosen in the others. */
export function isUsed(part, role, choice) {
  return Object.entries(part.used_with ?? {}).every(([other, options]) => {
    const k = choicesOf(role).findIndex(({ part: name }) => name === other);
    return k < 0 || options.includes(choicesOf(role)[k].options[choice[k]]);
  });
}

/** Give an action to begin with: what does nothing, where that is allowed. */
export function firstAction(role, allowed) {
  return {
    choice: choicesOf(role).map(({ part, noop }) => fitting(allowed[part], noop)),
    level: levelsOf(role).map(({ noop }) => noop),
  };
}

/** Keep a draft as far as it is still allowed. */
export function keepAllowed(role, draft, allowed) {
  const choice = choicesOf(role).map(({ part }, k) => fitting(allowed[part], draft.choice[k]));
  return choice.every((option, k) => option === draft.choice[k]) ? draft : { ...draft, choice };
}

const fitting = (options, wanted) => (options.includes(wanted) ? wanted : (options[0] ?? wanted));
