// Widgets for single values. What is typed goes to the server as it is: that says what is wrong.
import { html, useEffect, useState } from "../lib/html.js";
import { same } from "./values.js";

const MOST_ROWS = 14;

/** Keep what somebody types, and let it change when the value changes from elsewhere. */
function useText(value, write, read) {
  const [text, setText] = useState(() => write(value));
  useEffect(() => {
    if (!same(read(text), value)) setText(write(value));
  }, [JSON.stringify(value)]);
  return [text, setText];
}

const writeScalar = (value) => (value === undefined || value === null ? "" : String(value));

/** Read a number; what is none is sent as text, and refused. */
export function readNumber(text, nullable) {
  if (text.trim() === "") return nullable ? null : "";
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function NumberInput({ id, about, field, change }) {
  const { schema, nullable, value } = field;
  const read = (text) => readNumber(text, nullable);
  const [text, setText] = useText(value ?? (nullable ? null : schema.default), writeScalar, read);
  const type = (event) => { setText(event.target.value); change(read(event.target.value)); };
  const key = (event) => {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!sign || typeof read(text) !== "number" || schema.type !== "integer") return;
    event.preventDefault();
    setText(String(read(text) + sign));
    change(read(text) + sign);
  };
  return html`<input id=${id} ...${about} type="text" inputmode="decimal" class="number" autocomplete="off"
    value=${text} placeholder=${nullable ? "none" : ""} onInput=${type} onKeyDown=${key} />`;
}

function TextInput({ id, about, field, change }) {
  const { schema, nullable } = field;
  const value = writeScalar(field.value ?? schema.default);
  const type = (event) => change(nullable && event.target.value === "" ? null : event.target.value);
  return html`<input id=${id} ...${about} type="text" autocomplete="off" spellcheck="false"
    value=${value} placeholder=${nullable ? "none" : ""} onInput=${type} />`;
}

function Choice({ id, about, field, change }) {
  const { schema, nullable } = field;
  const value = field.value ?? (nullable ? "" : schema.default);
  const known = schema.enum.includes(value) || (nullable && value === "");
  return html`<select id=${id} ...${about} value=${value}
      onChange=${(event) => change(nullable && event.target.value === "" ? null : event.target.value)}>
    ${nullable && html`<option value="">none</option>`}
    ${!known && html`<option value=${value}>${String(value)}</option>`}
    ${schema.enum.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
  </select>`;
}

function Check({ id, about, field, change }) {
  const on = Boolean(field.value ?? field.schema.default);
  return html`<span class="check"><input id=${id} ...${about} type="checkbox" checked=${on}
    onChange=${(event) => change(event.target.checked)} /><span aria-hidden="true">${on ? "yes" : "no"}</span></span>`;
}

const readLines = (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function Lines({ id, about, field, change }) {
  const [text, setText] = useText(field.value ?? field.schema.default ?? [], (lines) => (lines ?? []).join("\n"), readLines);
  const rows = Math.min(Math.max(text.split("\n").length, 2), MOST_ROWS);
  const type = (event) => { setText(event.target.value); change(readLines(event.target.value)); };
  return html`<textarea id=${id} ...${about} class="mono" rows=${rows} wrap="off" spellcheck="false"
    onInput=${type} value=${text}></textarea>`;
}

/** Read JSON; undefined where it is none. */
function readJson(text) {
  try {
    return { value: text.trim() === "" ? null : JSON.parse(text) };
  } catch (error) {
    return { error: error.message };
  }
}

function Json({ id, about, field, change }) {
  const write = (value) => (value === undefined || value === null ? "" : JSON.stringify(value));
  const [text, setText] = useText(field.value ?? field.schema.default, write, (typed) => readJson(typed).value);
  const { error } = readJson(text);
  const type = (event) => {
    setText(event.target.value);
    const { value, error: wrong } = readJson(event.target.value);
    if (!wrong) change(value);
  };
  const invalid = error ? { ...about, "aria-invalid": "true" } : about;
  return html`<textarea id=${id} ...${invalid} class="mono" rows="2" spellcheck="false" onInput=${type} value=${text}></textarea>
    ${error && html`<p class="field-problem" role="alert">is no JSON yet, so it is not used: ${error}</p>`}`;
}

function Fixed({ id, about, field }) {
  return html`<input id=${id} ...${about} type="text" readonly value=${writeScalar(field.value ?? field.schema.const)} />`;
}

const WIDGETS = { const: Fixed, enum: Choice, boolean: Check, number: NumberInput, text: TextInput, lines: Lines, json: Json };

/** Show the widget that fits a field. */
export function Widget(props) {
  return html`<${WIDGETS[props.field.kind]} ...${props} />`;
}
