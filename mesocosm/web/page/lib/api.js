// Ask the server. The token comes with the page's address and is kept by this browser.
import { signal } from "./html.js";

const KEY = "mesocosm.token";
export const PROTOCOL = "mesocosm.token.";

/** Whether the server answered last: `ok`, `lost` (nobody answers) or `refused` (wrong token). */
export const connection = signal("ok");

/** Take the token out of `#/PLACE?token=T`, so that it does not stay in the address. */
function takeToken() {
  const [path, query = ""] = location.hash.split("?");
  const entries = new URLSearchParams(query);
  const given = entries.get("token");
  if (given) {
    localStorage.setItem(KEY, given);
    entries.delete("token");
    const rest = entries.toString();
    history.replaceState(null, "", `${path || "#/"}${rest && `?${rest}`}`);
  }
  return localStorage.getItem(KEY) ?? "";
}

export const token = takeToken();

/** What the server would not do: a message, and problems by field. */
export class Refused extends Error {
  constructor(status, { error = "the server gave no reason", problems = [] }) {
    super(error);
    this.status = status;
    this.problems = problems;
  }
}

/** Give an address with a query. */
export function address(path, query = {}) {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(entries).toString();
  return `/api/${path}${text && `?${text}`}`;
}

/** Give part of a path, safe for names with spaces or slashes. */
export const part = encodeURIComponent;

async function ask(method, path, { body, query, signal: stop, raw, keepalive } = {}) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(address(path, query), {
      method, headers, signal: stop, keepalive,
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name !== "AbortError") connection.value = "lost";
    throw error.name === "AbortError" ? error : new Refused(0, { error: "the server does not answer" });
  }
  connection.value = answer.status === 401 ? "refused" : "ok";
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

/** GET JSON. Options: query, signal. */
export const get = async (path, options) => (await ask("GET", path, options)).json();
/** POST JSON, give JSON. Options: query, signal, keepalive (also when the page is left). */
export const post = async (path, body = {}, options) =>
  (await ask("POST", path, { ...options, body })).json();
/** POST bytes (a File or Blob), give JSON. */
export const upload = async (path, body, options) =>
  (await ask("POST", path, { ...options, body, raw: true })).json();
/** GET bytes as a Blob: films, files. */
export const getBlob = async (path, options) => (await ask("GET", path, options)).blob();
