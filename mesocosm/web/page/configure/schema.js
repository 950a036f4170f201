// Reading a JSON Schema: what a field is, which widget fits it, what a new value of it is.
import { isObject } from "./values.js";

const LONG = 8; // entries; lists and maps with more begin closed

/** Give a schema with its reference followed; what stands beside the reference wins. */
export function follow(root, schema) {
  if (!schema?.$ref) return schema ?? {};
  const found = schema.$ref.replace(/^#\//, "").split("/").reduce((at, key) => at?.[key], root);
  const { $ref, ...beside } = schema;
  return { ...follow(root, found), ...beside };
}

/** Give a schema without the choice of nothing, and whether there was one. */
export function withoutNull(root, schema) {
  const plain = follow(root, schema);
  const options = (plain.anyOf ?? []).map((option) => follow(root, option));
  const others = options.filter((option) => option.type !== "null");
  if (others.length !== 1 || others.length === options.length) return { schema: plain, nullable: false };
  const { anyOf, ...beside } = plain;
  const { description, title, ...only } = others[0];
  return { schema: { description, title, ...only, ...beside }, nullable: true };
}

/** Name the widget of a schema: const, enum, boolean, number, text, lines, list, section, map, json. */
export function kindOf(root, schema) {
  if ("const" in schema) return "const";
  if (schema.enum) return "enum";
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "string") return "text";
  if (schema.type === "array") return kindOfList(root, follow(root, schema.items ?? {}));
  if (schema.properties) return "section";
  return isObject(schema.additionalProperties) ? "map" : "json";
}

function kindOfList(root, item) {
  if (item.type === "string") return "lines";
  return item.properties ? "list" : "json";
}

/** Say whether a kind holds fields of its own. */
export const isGroup = (kind) => kind === "section" || kind === "map" || kind === "list";

/** Give a value to begin with: what the schema says, else the least that is allowed. */
export function newValue(root, schema) {
  const plain = follow(root, schema);
  if (plain.default !== undefined && plain.default !== null) return plain.default;
  if ("const" in plain) return plain.const;
  if (plain.enum) return plain.enum[0];
  if (plain.anyOf) return newValue(root, withoutNull(root, plain).schema);
  if (plain.type === "boolean") return false;
  if (plain.type === "string") return "";
  if (plain.type === "array") return Array.from({ length: plain.minItems ?? 0 }, () => newValue(root, plain.items));
  if (plain.type === "integer" || plain.type === "number") return plain.minimum ?? 0;
  const needed = plain.required ?? [];
  return Object.fromEntries(needed.map((key) => [key, newValue(root, plain.properties[key])]));
}

/** List the fields of a group with their keys: [{key, schema, nullable, kind, value}]. */
export function fieldsOf(root, schema, kind, value) {
  const entry = (key, part, own) => {
    const { schema: plain, nullable } = withoutNull(root, part);
    return { key, schema: plain, nullable, kind: kindOf(root, plain), value: own };
  };
  if (kind === "section") {
    return Object.entries(schema.properties).map(([key, part]) => entry(key, part, value?.[key]));
  }
  if (kind === "list") return (Array.isArray(value) ? value : []).map((own, k) => entry(String(k), schema.items, own));
  return Object.entries(isObject(value) ? value : {}).map(([key, own]) => entry(key, schema.additionalProperties, own));
}

/** Say whether a group is small enough to be open from the beginning. */
export function isSmall(fields) {
  return fields.length <= LONG && fields.every(({ kind }) => !isGroup(kind));
}

const UNITS = { km: "km", kmh: "km/h", steps: "steps", step: "step", minutes: "minutes", seconds: "seconds", s: "s", hours: "hours", deg: "°", degrees: "°", kg: "kg", litres: "litres", prob: "chance", ticks: "ticks" };

/** Say in which unit a field is, where its name says so. */
export function unitOf(key) {
  const last = String(key).split("_").at(-1);
  return String(key).includes("_") ? (UNITS[last] ?? "") : "";
}

/** Say which numbers are allowed: "2 to 64". */
export function rangeOf(schema) {
  const words = (value) => (Math.abs(value) >= 1e12 ? Number(value).toPrecision(2).replace("e+", "e")
    : value.toLocaleString("en", { maximumFractionDigits: 9 }));
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = minimum ?? exclusiveMinimum;
  const high = maximum ?? exclusiveMaximum;
  if (low !== undefined && high !== undefined) return `${exclusiveMinimum !== undefined ? "above " : ""}${words(low)} to ${words(high)}`;
  if (low !== undefined) return exclusiveMinimum !== undefined ? `above ${words(low)}` : `at least ${words(low)}`;
  return high === undefined ? "" : `at most ${words(high)}`;
}
