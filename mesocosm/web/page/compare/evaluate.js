// The form that starts an evaluation or a tournament.
import { get, part, post } from "../lib/api.js";
import { html, useEffect, useState } from "../lib/html.js";
import { Fault, useAnswer } from "../lib/ui.js";
import { BundleUpload } from "../lib/upload.js";

const KINDS = { scripted: "scripted", trained: "trained", given: "given on the command line", bundle: "bundles of the runs folder" };
const FIRST = [{ name: "", policy: "" }, { name: "", policy: "" }];
const RANDOM = "random";

/** Give a policy a short name that the server takes. */
export function nameFor(policy, taken) {
  const [first, ...rest] = policy.replace(/^(bundle|trained|given)\//, "").replace(/\.mesop$/, "").split("~");
  const base = [first, ...rest.filter((word) => word !== "policies" )].join("-").replace(/[^A-Za-z0-9_.-]+/g, "-");
  for (let k = 1; ; k += 1) {
    const name = k === 1 ? base : `${base}-${k}`;
    if (!taken.includes(name)) return name;
  }
}

/** Begin with what a training left: its config, and its policies beside chance. */
function useTrained(from, setPreset, setEntrants) {
  const [config, setConfig] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    if (!from) return;
    get(`replays/${part(from)}`).then((found) => {
      setConfig(found.config);
      setPreset(found.preset);
      const policies = [...found.bundles.map((name) => `bundle/${name}`), RANDOM];
      const made = [];
      policies.forEach((policy) => made.push({ policy, name: nameFor(policy, made.map(({ name }) => name)) }));
      setEntrants(made);
    }).catch(setError);
  }, [from]);
  return { config, error };
}

function Entrants({ world, entrants, onChange, again }) {
  const { data: policies, error, again: askAgain } = useAnswer(world && "policies", { world });
  useEffect(() => { if (again) askAgain(); }, [again]);
  const change = (k, policy) => onChange(entrants.map((entry, j) => (j === k
    ? { policy, name: policy ? nameFor(policy, entrants.filter((_, i) => i !== k).map(({ name }) => name)) : "" } : entry)));
  const rename = (k, name) => onChange(entrants.map((entry, j) => (j === k ? { ...entry, name } : entry)));
  return html`<fieldset class="compare-entrants" disabled=${!world}><legend>Policies</legend><${Fault} error=${error} />
    ${entrants.map((entry, k) => html`<div class="entrant" key=${k}>
      <select aria-label=${`Policy ${k + 1}`} value=${entry.policy} onChange=${(event) => change(k, event.currentTarget.value)}>
        <option value="">Choose …</option>
        ${Object.entries(KINDS).map(([kind, title]) => html`<optgroup key=${kind} label=${title}>${(policies ?? []).filter((one) => one.kind === kind)
          .map(({ name }) => html`<option key=${name} value=${name}>${name.replace(/^bundle\//, "").replaceAll("~", " / ")}</option>`)}</optgroup>`)}
      </select>
      <input type="text" aria-label=${`Name of policy ${k + 1}`} placeholder="goes by" value=${entry.name} disabled=${!entry.policy}
        onInput=${(event) => rename(k, event.currentTarget.value)} />
      <button type="button" class="plain" aria-label=${`Take policy ${k + 1} away`} disabled=${entrants.length < 2}
        onClick=${() => onChange(entrants.filter((_, j) => j !== k))}>✕</button></div>`)}
    <button type="button" onClick=${() => onChange([...entrants, { name: "", policy: "" }])}>Add a policy</button>
  </fieldset>`;
}

export function EvaluateForm({ from, onStart }) {
  const { data: presets } = useAnswer("presets");
  const [preset, setPreset] = useState("");
  const [entrants, setEntrants] = useState(FIRST);
  const [form, setForm] = useState({ episodes: "50", seed: "0", tournament: false });
  const [state, setState] = useState({});
  const [uploads, setUploads] = useState(0);
  const { config, error } = useTrained(from, setPreset, setEntrants);
  const world = preset.split("/")[0];
  const playing = entrants.filter(({ policy }) => policy);
  const submit = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    const asked = { entrants: Object.fromEntries(playing.map(({ name, policy }) => [name, policy])),
      episodes: Number(form.episodes), seed: Number(form.seed), tournament: form.tournament };
    try {
      if (Object.keys(asked.entrants).length < playing.length) throw new Error("policies: two go by the same name");
      const { id } = await post("evaluations", { ...(config && preset ? { config } : { preset }), ...asked });
      setState({});
      onStart(id);
    } catch (failed) {
      setState({ error: failed });
    }
  };
  return html`<details class="panel compare-form" open=${Boolean(from)}><summary><h2>Start an evaluation or a tournament</h2></summary>
    <form class="stack" onSubmit=${submit}>
      <${Fault} error=${error} />
      <div class="field"><label for="evaluate-preset">Preset</label>
        ${config
          ? html`<p id="evaluate-preset">${preset}, as <b>${from}</b> was trained</p>`
          : html`<select id="evaluate-preset" value=${preset} onChange=${(event) => { setPreset(event.currentTarget.value); setEntrants(FIRST); }}>
            <option value="">Choose a preset …</option>${(presets ?? []).map(({ name }) => html`<option key=${name}>${name}</option>`)}</select>`}</div>
      <${Entrants} world=${world} entrants=${entrants} onChange=${setEntrants} again=${uploads} />
      <div class="row" role="radiogroup" aria-label="Kind">
        ${[[false, "Evaluate: each plays alone with itself"], [true, "Tournament: everybody meets everybody"]].map(([value, words]) => html`<label key=${words}>
          <input type="radio" name="kind" checked=${form.tournament === value} onChange=${() => setForm({ ...form, tournament: value })} /> ${words}</label>`)}</div>
      <div class="field-grid">${["episodes", "seed"].map((name) => html`<div class="field" key=${name}><label for=${`evaluate-${name}`}>${name === "seed" ? "Seed" : "Episodes"}</label>
        <input id=${`evaluate-${name}`} type="number" min=${name === "seed" ? 0 : 1} required value=${form[name]} onInput=${(event) => setForm({ ...form, [name]: event.currentTarget.value })} /></div>`)}</div>
      <${Fault} error=${state.error} />
      <div class="row"><button type="submit" class="main" disabled=${!preset || playing.length === 0 || state.busy}>${form.tournament ? "Start tournament" : "Start evaluation"}</button></div>
    </form>
    <${BundleUpload} onDone=${() => setUploads(uploads + 1)} />
  </details>`;
}
