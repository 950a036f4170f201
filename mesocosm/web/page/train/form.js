// The form that starts a training.
import { post } from "../lib/api.js";
import { draft, isChanged } from "../lib/draft.js";
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { go, link } from "../lib/route.js";
import { Fault, Loading, useAnswer } from "../lib/ui.js";
import { BundleUpload } from "../lib/upload.js";
import { Settings, changedSettings } from "./settings.js";

const FIRST = { steps: "200000", seed: "0", threads: "1" };
const NUMBERS = [
  ["steps", "Agent-steps", "steps of all agents together, before it ends"],
  ["seed", "Seed", "the same seed learns the same"],
  ["threads", "Processes", "that play and learn together"],
];
const CHECK_MILLISECONDS = 300;

/** Give the config that is trained for, as routes take it. */
function configOf(preset, useDraft) {
  if (!useDraft) return { preset };
  const { overrides, archetypes, variants } = draft.value;
  return { preset, overrides, archetypes, variants };
}

/** Ask what suits a config; ask again, with the changes, a moment after somebody wrote. */
function useSettings(config, texts) {
  const [settings, setSettings] = useState(null);
  const [error, setError] = useState(null);
  const asked = JSON.stringify(config);
  useEffect(() => {
    const stop = new AbortController();
    setSettings(null);
    if (config.preset) {
      post("learning", config, { signal: stop.signal }).then((found) => { setSettings(found); setError(null); })
        .catch((failed) => failed.name !== "AbortError" && setError(failed));
    }
    return () => stop.abort();
  }, [asked]);
  const learning = useMemo(() => changedSettings(settings, texts), [settings, texts]);
  const changes = JSON.stringify(learning);
  useEffect(() => {
    if (!settings) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => post("learning", { ...config, learning }, { signal: stop.signal })
      .then(() => setError(null))
      .catch((failed) => failed.name !== "AbortError" && setError(failed)), CHECK_MILLISECONDS);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [asked, changes, settings]);
  return { settings, learning, error };
}

function PresetChoice({ preset, onChoose }) {
  const { data: presets, error } = useAnswer("presets");
  if (!presets) return html`<${Fault} error=${error} />${!error && html`<${Loading} what="Asking for presets" />`}`;
  const worlds = [...new Set(presets.map((entry) => entry.world))];
  const chosen = presets.find((entry) => entry.name === preset);
  return html`<div class="field"><label for="train-preset">Preset</label>
    <select id="train-preset" value=${preset} onChange=${(event) => onChoose(event.currentTarget.value)}
      aria-describedby="train-preset-note">
      <option value="">Choose a preset …</option>
      ${worlds.map((world) => html`<optgroup key=${world} label=${world}>${presets.filter((entry) => entry.world === world)
        .map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</optgroup>`)}
    </select><p class="small muted" id="train-preset-note">${chosen?.sentence ?? ""}</p></div>`;
}

/** By role, the bundle that it begins from. */
function Starts({ config, starts, onStart }) {
  const { data: bundles, again } = useAnswer("bundles");
  const [roles, setRoles] = useState([]);
  useEffect(() => {
    if (config.preset) post("configs/validate", config).then((found) => setRoles(found.roles ?? [])).catch(() => setRoles([]));
  }, [JSON.stringify(config)]);
  return html`<details class="train-more"><summary>Begin from a policy</summary>
    <p class="small muted">Without one, a role begins with a fresh network. A policy's own network is used, as far as it fits.</p>
    <div class="field-grid">${roles.map(({ name }) => html`<div class="field" key=${name}>
      <label for=${`start-${name}`}>${name} begins from</label>
      <select id=${`start-${name}`} value=${starts[name] ?? ""} onChange=${(event) => onStart(name, event.currentTarget.value)}>
        <option value="">a fresh network</option>
        ${(bundles ?? []).map((bundle) => html`<option key=${bundle} value=${`bundle/${bundle}`}>${bundle.replaceAll("~", " / ")}</option>`)}
      </select></div>`)}</div>
    <${BundleUpload} onDone=${again} />
  </details>`;
}

export function TrainForm({ wanted }) {
  const [preset, setPreset] = useState(wanted ?? draft.value.preset);
  const [useDraft, setUseDraft] = useState(true);
  const [numbers, setNumbers] = useState(FIRST);
  const [texts, setTexts] = useState({});
  const [starts, setStarts] = useState({});
  const [refusal, setRefusal] = useState(null);
  const [busy, setBusy] = useState(false);
  const drafted = preset !== "" && draft.value.preset === preset && isChanged(draft.value);
  const config = configOf(preset, drafted && useDraft);
  const { settings, learning, error } = useSettings(config, texts);
  const problems = (refusal ?? error)?.problems ?? [];
  const faults = Object.fromEntries(problems.map(({ path, message }) => [path, message]));
  const known = (path) => path in numbers || settings?.some((entry) => entry.path === path);
  const general = (refusal ?? error) && !problems.some(({ path }) => known(path)) ? refusal ?? error : null;
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setRefusal(null);
    const whole = Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)]));
    const begun = Object.fromEntries(Object.entries(starts).filter(([, bundle]) => bundle));
    try {
      const { id } = await post("trainings", { ...config, ...whole, learning, starts: begun });
      go("train", id);
    } catch (failed) {
      setRefusal(failed);
      setBusy(false);
    }
  };
  const forget = () => setRefusal(null);
  return html`<form class="panel stack train-form" onSubmit=${submit} aria-labelledby="train-title">
    <div><h1 id="train-title">Train</h1>
      <p class="muted">A policy learns by playing. Choose what it plays; its curve and its latest policy are shown while it learns.</p></div>
    <${PresetChoice} preset=${preset} onChoose=${(name) => { setPreset(name); setStarts({}); forget(); }} />
    ${drafted && html`<label class="row"><input type="checkbox" checked=${useDraft}
      onChange=${(event) => setUseDraft(event.currentTarget.checked)} /> with the changes made in <a href=${link("configure", ...preset.split("/"))}>Configure</a></label>`}
    <div class="field-grid">${NUMBERS.map(([name, title, meaning]) => html`<div class="field" key=${name}>
      <label for=${`train-${name}`}>${title}</label>
      <input id=${`train-${name}`} type="number" min="0" step="1" required value=${numbers[name]}
        aria-describedby=${`train-${name}-note`} aria-invalid=${Boolean(faults[name])}
        onInput=${(event) => { setNumbers({ ...numbers, [name]: event.currentTarget.value }); forget(); }} />
      <p class="small muted" id=${`train-${name}-note`}>${meaning}
        ${faults[name] && html`<span class="fault field-fault" role="alert">${faults[name]}</span>`}</p></div>`)}</div>
    ${preset && html`<fieldset><legend>Learning</legend>
      ${settings
        ? html`<${Settings} settings=${settings} texts=${texts} faults=${faults}
            onText=${(path, text) => { setTexts((before) => ({ ...before, [path]: text })); forget(); }} />`
        : !error && html`<${Loading} what="Asking what suits this config" />`}
    </fieldset><${Starts} config=${config} starts=${starts} onStart=${(role, bundle) => setStarts({ ...starts, [role]: bundle })} />`}
    <${Fault} error=${general} />
    <div class="row"><button type="submit" class="main" disabled=${!preset || busy} aria-busy=${busy}>Start training</button>
      ${!preset && html`<span class="muted small">Choose a preset first.</span>`}</div>
  </form>`;
}
