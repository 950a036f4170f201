// Sentences that worlds and presets say of themselves.

/** Write a sentence as one: a capital first, a stop last. */
export function sentenceOf(text) {
  const own = text.trim();
  return `${own.slice(0, 1).toUpperCase()}${own.slice(1)}${/[.!?]$/.test(own) ? "" : "."}`;
}
