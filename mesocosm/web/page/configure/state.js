// The config of the form: the draft, what the server says of it, and how it is changed.
import { post } from "../lib/api.js";
import { changeDraft, draft, openDraft } from "../lib/draft.js";
import { useEffect, useMemo, useState } from "../lib/html.js";
import { applyOverrides, setOverride, takeBack, valueAt } from "./values.js";

const WAIT_MILLISECONDS = 200; // after the last change, before the server is asked

/** Ask the server about a config now and again; give its last answer and what it was asked. */
function useValidation(asked) {
  const [state, setState] = useState({ asked: null, answer: null, error: null });
  useEffect(() => {
    if (!asked) return undefined;
    const stop = new AbortController();
    const ask = () => post("configs/validate", asked, { signal: stop.signal })
      .then((answer) => setState({ asked, answer, error: null }))
      .catch((error) => error.name !== "AbortError" && setState((before) => ({ ...before, asked, error })));
    const timer = setTimeout(ask, state.asked ? WAIT_MILLISECONDS : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked]);
  return state;
}

/** Give the form's config for a preset: what it is, what is wrong with it, how to change it. */
export function useConfig(preset) {
  useEffect(() => openDraft(preset), [preset]);
  const asked = draft.value.preset === preset ? draft.value : null;
  const { archetypes, variants, overrides } = asked ?? {};
  const bare = useMemo(() => asked && { preset, archetypes, variants, overrides: {} },
    [preset, archetypes, variants]);
  const below = useValidation(bare);
  const [base, setBase] = useState(null);
  useEffect(() => {
    if (below.asked?.preset === preset && below.answer?.valid) setBase({ preset, config: below.answer.config });
  }, [below.answer]);
  const { answer, error, asked: answered } = useValidation(asked);
  const known = base?.preset === preset ? base.config : null;
  const fresh = answered === asked && !error;
  const config = useMemo(() => known && (fresh && answer?.valid ? answer.config : applyOverrides(known, overrides)),
    [known, overrides, answer, fresh]);
  const last = answered?.preset === preset ? answer : null;
  return { asked, base: known, config, validation: last, fresh, error: error ?? below.error,
    refused: below.asked?.preset === preset && below.answer?.valid === false && !known ? below.answer : null };
}

/** Give the ways to change a config; `form` is what `useConfig` gave. */
export function changesOf(form) {
  const { overrides } = form.asked;
  return {
    set: (keys, value) => changeDraft({ overrides: setOverride(overrides, form, keys, value) }),
    back: (keys) => changeDraft({ overrides: takeBack(overrides, form, keys) }),
    isSet: (keys) => isDecided(overrides, keys),
    reset: () => changeDraft({ overrides: {}, archetypes: [], variants: [] }),
    archetypes: (archetypes) => changeDraft({ archetypes }),
    variants: (variants) => changeDraft({ variants }),
  };
}

/** Say whether an override stands at some keys, above or below them. */
function isDecided(overrides, keys) {
  const path = keys.join(".");
  return Object.keys(overrides).some((other) => path === other || path.startsWith(`${other}.`) || other.startsWith(`${path}.`));
}

/** List what was changed: as the server sees it, or while a config is refused, by its overrides. */
export function changedRows({ asked, base, validation, fresh }) {
  if (fresh && validation?.valid) return validation.differences;
  return Object.entries(asked.overrides).map(([path, value]) => {
    const keys = path.split(".");
    return { path, keys, preset: valueAt(base, keys), value };
  });
}
