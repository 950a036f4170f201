// Finding presets by words of their names and sentences.

/** Give the words of a search, in lower case. */
export function words(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Say whether a preset has all words somewhere. */
export function matches(wanted, world, preset) {
  const text = `${preset.name} ${preset.sentence} ${world.summary}`.toLowerCase();
  return wanted.every((word) => text.includes(word));
}
