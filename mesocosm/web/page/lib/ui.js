// Small parts that several areas use.
import { Refused, get } from "./api.js";
import { html, useEffect, useErrorBoundary, useState } from "./html.js";

/** Ask the server once, and again when the path changes or `again` is called. */
export function useAnswer(path, query) {
  const [state, setState] = useState({ loading: true });
  const [turn, setTurn] = useState(0);
  const text = JSON.stringify(query ?? {});
  useEffect(() => {
    if (!path) return undefined;
    const stop = new AbortController();
    get(path, { query: JSON.parse(text), signal: stop.signal })
      .then((data) => setState({ data }))
      .catch((error) => error.name !== "AbortError"
        && setState((before) => ({ data: before.data, error })));
    return () => stop.abort();
  }, [path, text, turn]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}

/** Say what went wrong. */
export function Fault({ error, children }) {
  if (!error) return null;
  const words = typeof error === "string" ? error : error.message;
  return html`<p class="fault" role="alert">${words} ${children}</p>`;
}

/** Show that something is on its way. */
export function Loading({ what = "Loading" }) {
  return html`<p class="loading" role="status"><span class="spinner" aria-hidden="true"></span>${what} …</p>`;
}

/** What shows instead of an area that failed to draw. */
export function Guarded({ children }) {
  const [error, reset] = useErrorBoundary((failed) => console.error(failed));
  if (!error) return children;
  return html`<${Fault} error=${`this part of the page failed: ${error.message}`}>
    <button type="button" onClick=${reset}>Try again</button><//>`;
}

/** A button that waits for what it does, and says when that was refused. */
export function Action({ run, children, class: name = "", title, disabled, label }) {
  const [state, setState] = useState({});
  const press = async () => {
    setState({ busy: true });
    try {
      await run();
      setState({});
    } catch (error) {
      setState({ error });
      if (!(error instanceof Refused)) throw error;
    }
  };
  return html`<button type="button" class=${name} title=${title} aria-label=${label}
      disabled=${disabled || state.busy} aria-busy=${Boolean(state.busy)} onClick=${press}>${children}</button>
    <${Fault} error=${state.error} />`;
}

/** A status in words, with a colour of its own. */
export function Badge({ status }) {
  return html`<span class=${`badge badge-${status.replace(/ /g, "-")}`}>${status}</span>`;
}

/** Copy text, and say so for a moment. */
export function Copy({ text, children = "Copy" }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`<button type="button" onClick=${copy}>${done ? "Copied" : children}</button>`;
}

/** Write a number so that it takes little room: 3 digits that count. */
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  const size = Math.abs(value);
  if (size >= 1e9) return `${(value / 1e9).toPrecision(3)} G`;
  if (size >= 1e6) return `${(value / 1e6).toPrecision(3)} M`;
  if (size >= 1e4) return `${(value / 1e3).toPrecision(3)} k`;
  return size > 0 && size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
