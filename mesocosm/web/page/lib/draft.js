// The config that somebody is working on: a preset with what is put on it. Other areas take it over.
import { signal } from "./html.js";

const EMPTY = { preset: "", overrides: {}, archetypes: [], variants: [] };

/** {preset: "world/preset", overrides: values by dotted path, archetypes, variants}. */
export const draft = signal(EMPTY);

/** Begin anew from a preset, unless it is the one that is being worked on. */
export function openDraft(preset) {
  if (draft.peek().preset !== preset) draft.value = { ...EMPTY, preset };
}

/** Change some of it. */
export function changeDraft(parts) {
  draft.value = { ...draft.peek(), ...parts };
}

/** Say whether anything was put on the preset. */
export function isChanged({ overrides, archetypes, variants }) {
  return Object.keys(overrides).length + archetypes.length + variants.length > 0;
}
