// The form: the fields of a schema, in groups that open, with what the server says at each.
import { html, useId, useState } from "../lib/html.js";
import { countProblems, problemsAt } from "./problems.js";
import { fieldsOf, isGroup, isSmall, newValue, rangeOf, unitOf } from "./schema.js";
import { pathOf } from "./values.js";
import { Widget } from "./widget.js";

/** Say whether a field or anything in it has all words of the filter. */
function isFound(desk, keys, field) {
  const text = `${pathOf(keys)} ${field.schema.description ?? ""}`.toLowerCase();
  if (desk.words.every((word) => text.includes(word))) return true;
  if (!isGroup(field.kind) || (field.nullable && !field.value)) return false;
  return childrenOf(desk, field).some((child) => isFound(desk, [...keys, child.key], child));
}

const childrenOf = (desk, field) => fieldsOf(desk.root, field.schema, field.kind, field.value);

function Problems({ id, found }) {
  return html`<div id=${id} class="field-problems" aria-live="polite">
    ${found.map(({ path, message }) => html`<p key=${path + message} class="field-problem">${message}</p>`)}</div>`;
}

function TakeBack({ desk, keys }) {
  if (!desk.changes.isSet(keys)) return null;
  const path = pathOf(keys);
  return html`<button type="button" class="plain small back" title="Take back what was changed here"
    aria-label=${`Take back ${path}`} onClick=${() => desk.changes.back(keys)}>↺</button>`;
}

function Remove({ desk, keys, what }) {
  return html`<button type="button" class="plain small" aria-label=${`Remove ${what} ${keys.at(-1)}`}
    onClick=${() => desk.changes.set(keys, undefined)}>Remove</button>`;
}

/** A single value: its name, widget, range and unit, what it means, and what is wrong with it. */
function Leaf({ desk, keys, field, removable }) {
  const id = useId();
  const path = pathOf(keys);
  const found = problemsAt(desk.problems, path, []);
  const about = {
    "aria-describedby": `${id}-help ${id}-problem`,
    "aria-invalid": found.length > 0 ? "true" : undefined,
  };
  const facts = [unitOf(keys.at(-1)), field.kind === "number" ? rangeOf(field.schema) : "",
    field.kind === "lines" ? "one per line" : "", field.kind === "json" ? "JSON" : ""].filter(Boolean).join(" · ");
  return html`<div class=${`field field-${field.kind}`} data-path=${path}
      data-changed=${desk.changes.isSet(keys) ? "yes" : undefined} data-wrong=${found.length > 0 ? "yes" : undefined}>
    <label for=${id}>${keys.at(-1)}</label>
    <div class="control">
      <${Widget} id=${id} about=${about} field=${field} change=${(value) => desk.changes.set(keys, value)} />
      ${facts && html`<span class="muted small facts">${facts}</span>`}
      <${TakeBack} desk=${desk} keys=${keys} />
      ${removable && html`<${Remove} desk=${desk} keys=${keys} what="entry" />`}
    </div>
    <p id=${`${id}-help`} class="help muted small">${field.schema.description ?? ""}</p>
    <${Problems} id=${`${id}-problem`} found=${found} />
  </div>`;
}

/** Say in a few words what a closed group holds. */
function countOf(field, children) {
  if (field.nullable && (field.value === null || field.value === undefined)) return "none";
  if (field.kind === "section") return "";
  return children.length === 0 ? "empty" : String(children.length);
}

function nameOf(keys, field) {
  const own = field.value && typeof field.value === "object" ? (field.value.name ?? field.value.kind) : undefined;
  return typeof own === "string" && own && /^\d+$/.test(keys.at(-1)) ? `${keys.at(-1)} · ${own}` : keys.at(-1);
}

/** A group: a section, a map or a list, drawn once it is open. */
export function Group({ desk, keys, field, removable, level = 3 }) {
  const path = pathOf(keys);
  const missing = field.nullable && (field.value === null || field.value === undefined);
  const children = missing ? [] : childrenOf(desk, field);
  const wrong = countProblems(desk.problems, path);
  const filtered = desk.words.length > 0;
  const open = filtered || (desk.opened.get(path) ?? (desk.all || (level > 3 && isSmall(children) && children.length > 0)));
  const toggle = (event) => event.target === event.currentTarget && !filtered && desk.open(path, event.target.open);
  const about = countOf(field, children);
  return html`<details class="group" data-path=${path} open=${open} onToggle=${toggle}
      data-changed=${desk.changes.isSet(keys) ? "yes" : undefined} data-wrong=${wrong > 0 ? "yes" : undefined}>
    <summary><span class="group-name" role="heading" aria-level=${Math.min(level, 6)}>${nameOf(keys, field)}</span>
      ${about && html`<span class="count small">${about}</span>`}
      ${wrong > 0 && html`<span class="count small wrong">${wrong} refused</span>`}
      <span class="muted small group-help">${field.schema.description ?? ""}</span></summary>
    ${open && html`<div class="group-body">
      <div class="row group-tools"><${TakeBack} desk=${desk} keys=${keys} />
        ${removable && html`<${Remove} desk=${desk} keys=${keys} what="entry" />`}
        ${field.nullable && html`<${Presence} desk=${desk} keys=${keys} field=${field} missing=${missing} />`}</div>
      <${Problems} found=${problemsAt(desk.problems, path, children.map(({ key }) => key))} />
      ${!missing && html`<${Fields} desk=${desk} keys=${keys} field=${field} shown=${children} level=${level} />
        <${Add} desk=${desk} keys=${keys} field=${field} />`}
    </div>`}
  </details>`;
}

function Presence({ desk, keys, field, missing }) {
  const switchOver = () => desk.changes.set(keys, missing ? newValue(desk.root, { ...field.schema, default: undefined }) : null);
  return html`<button type="button" class="small" onClick=${switchOver}>${missing ? `Set ${keys.at(-1)}` : `Leave ${keys.at(-1)} out`}</button>`;
}

function Fields({ desk, keys, field, shown, level }) {
  const removable = field.kind !== "section";
  const wanted = desk.words.length === 0 ? shown : shown.filter((child) => isFound(desk, [...keys, child.key], child));
  return html`<div class="fields">${wanted.map((child) => {
    const own = [...keys, child.key];
    const Part = isGroup(child.kind) ? Group : Leaf;
    return html`<${Part} key=${child.key} desk=${desk} keys=${own} field=${child} removable=${removable} level=${level + 1} />`;
  })}</div>`;
}

/** Add an entry to a list, or one with a name to a map. */
function Add({ desk, keys, field }) {
  const [name, setName] = useState("");
  const id = useId();
  if (field.kind === "section") return null;
  if (field.kind === "list") {
    const put = () => desk.changes.set(keys, [...(field.value ?? []), newValue(desk.root, field.schema.items)]);
    return html`<button type="button" class="small add" onClick=${put}>Add to ${keys.at(-1)}</button>`;
  }
  const taken = Object.hasOwn(field.value ?? {}, name);
  const add = () => {
    desk.changes.set([...keys, name], newValue(desk.root, field.schema.additionalProperties));
    setName("");
  };
  return html`<div class="row add"><label class="small" for=${id}>New entry</label>
    <input id=${id} type="text" value=${name} autocomplete="off" spellcheck="false" placeholder="name"
      onInput=${(event) => setName(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && name && !taken && add()} />
    <button type="button" class="small" disabled=${!name || taken} onClick=${add}>Add to ${keys.at(-1)}</button></div>`;
}

/** Show all sections of a config. */
export function Form({ desk, config }) {
  const schema = { properties: desk.root.properties };
  const sections = fieldsOf(desk.root, schema, "section", config).filter(({ key }) => key !== "archetypes");
  sections.sort((one, other) => Number(isGroup(other.kind)) - Number(isGroup(one.kind))); // single values last
  const shown = desk.words.length === 0 ? sections : sections.filter((field) => isFound(desk, [field.key], field));
  if (shown.length === 0) return html`<p class="muted">No field has these words in its name or description.</p>`;
  return html`<div class="form">${shown.map((field) => (isGroup(field.kind)
    ? html`<${Group} key=${field.key} desk=${desk} keys=${[field.key]} field=${field} />`
    : html`<${Leaf} key=${field.key} desk=${desk} keys=${[field.key]} field=${field} />`))}</div>`;
}
