// Where somebody is on the page: `#/watch/NAME?step=12` is {path: ["watch", NAME], query: {step}}.
import { signal } from "./html.js";

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    path: path.split("/").filter(Boolean).map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export const route = signal(read());
addEventListener("hashchange", () => { route.value = read(); });

/** Give the address of a place: link("watch", name, {step: 3}). */
export function link(...parts) {
  const last = parts.at(-1);
  const query = typeof last === "object" ? last : {};
  const path = typeof last === "object" ? parts.slice(0, -1) : parts;
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(entries).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text && `?${text}`}`;
}

/** Go to a place. */
export function go(...parts) {
  location.hash = link(...parts);
}

/** Change the address without leaving the place, so that a link leads here. */
export function note(...parts) {
  const text = link(...parts);
  if (location.hash !== text) history.replaceState(null, "", text);
}
