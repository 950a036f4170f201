// Learning settings by path: those most people change first, the others on demand.
import { html } from "../lib/html.js";

const LEAD = "learning.";
const COMMON = [
  "algorithm", "num_envs", "horizon", "learning_rate", "gamma", "entropy", "network.hidden", "network.memory",
].map((name) => LEAD + name);

/** Write a setting as a person would. */
export const settingText = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

/** Read what somebody wrote, as the kind of value that the setting has. */
export function readSetting(text, value) {
  const plain = text.trim();
  const number = (part) => (part !== "" && Number.isFinite(Number(part)) ? Number(part) : part);
  if (Array.isArray(value)) return plain === "" ? [] : plain.split(",").map((part) => number(part.trim()));
  if (typeof value === "boolean") return plain === "true";
  return typeof value === "number" ? number(plain) : plain;
}

/** Give the settings that were changed, by path. */
export function changedSettings(settings, texts) {
  return Object.fromEntries((settings ?? [])
    .filter(({ path, value }) => texts[path] !== undefined && texts[path] !== settingText(value))
    .map(({ path, value }) => [path, readSetting(texts[path], value)]));
}

function Field({ setting, text, fault, onText }) {
  const { path, value, meaning, choices, low, high } = setting;
  const id = `setting-${path}`;
  const shown = text ?? settingText(value);
  const options = typeof value === "boolean" ? ["true", "false"] : choices;
  const changed = shown !== settingText(value);
  const limits = low === null && high === null ? "" : ` (${low ?? ""} to ${high ?? ""})`;
  const attributes = { id, value: shown, "aria-describedby": `${id}-note`, "aria-invalid": Boolean(fault),
    onInput: (event) => onText(path, event.currentTarget.value) };
  return html`<div class=${`field ${changed ? "field-changed" : ""}`}>
    <label for=${id}><code>${path.slice(LEAD.length)}</code></label>
    ${options.length
      ? html`<select ...${attributes}>${options.map((option) => html`<option key=${option}>${option}</option>`)}</select>`
      : html`<input type="text" autocomplete="off" spellcheck="false" ...${attributes} />`}
    <p class="small muted" id=${`${id}-note`}>${meaning}${options.length ? "" : limits}
      ${changed && html`<span> · suits: ${settingText(value)}</span>`}
      ${fault && html`<span class="fault field-fault" role="alert">${fault}</span>`}</p>
  </div>`;
}

/** All settings; `faults` are messages by path. */
export function Settings({ settings, texts, faults, onText }) {
  const show = (setting) => html`<${Field} key=${setting.path} setting=${setting}
    text=${texts[setting.path]} fault=${faults[setting.path]} onText=${onText} />`;
  const others = settings.filter(({ path }) => !COMMON.includes(path));
  const changed = others.filter(({ path, value }) =>
    texts[path] !== undefined && texts[path] !== settingText(value)).length;
  return html`<div class="field-grid">${COMMON.map((path) => settings.find((entry) => entry.path === path))
    .filter(Boolean).map(show)}</div>
    <details class="train-more"><summary>All other settings (${others.length}${changed ? `, ${changed} changed` : ""})</summary>
      <div class="field-grid">${others.map(show)}</div></details>`;
}
