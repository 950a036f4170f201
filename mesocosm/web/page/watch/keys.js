// Shortcuts of the whole area; none of them acts while somebody types.
import { html, useEffect, useRef } from "../lib/html.js";
import { EVERYTHING } from "./store.js";
import { nextSpeed } from "../lib/transport.js";

const HELP = [
  ["Space or p", "play, pause"],
  [". or →", "one step"],
  [">", "ten steps"],
  [", or ←", "one step back (replays)"],
  ["[ and ]", "slower, faster"],
  ["e", "see everything"],
  ["n and b", "the next agent's perspective, the one before"],
  ["+ − 0", "in the picture: zoom in, out, show all; arrows move it"],
  ["arrows, WASD, digits, Space", "when you play an agent: what it does, as its buttons say"],
  ["?", "this list"],
];

const SLIDING = /^(Arrow|Page|Home|End)/; // keys that move a slider

/** Say whether a key belongs to a field that somebody types in. */
export function isTyping(event) {
  const field = event.target.closest?.("input, select, textarea, [contenteditable], dialog");
  return Boolean(field) && (field.type !== "range" || SLIDING.test(event.key));
}

function neighbour(run, by) {
  const last = (run.detail.peek()?.num_agents ?? 1) - 1;
  const now = run.perspective.peek();
  const at = now === EVERYTHING ? (by > 0 ? -1 : last + 1) : Number(now.slice(6));
  const next = at + by;
  run.watch(next < 0 || next > last ? EVERYTHING : `agent ${next}`);
}

function actionsOf(run, showHelp) {
  const step = (count) => () => run.command("step", { count });
  const back = () => run.isReplay && run.jump(Math.max((run.frame.peek()?.step ?? 0) - 1, 0));
  const speed = (up) => () => run.command("speed", { speed: nextSpeed(run.status.peek()?.speed ?? 0, up) });
  return {
    " ": () => run.toggle(), p: () => run.toggle(), ".": step(1), ArrowRight: step(1), ">": step(10),
    ",": back, ArrowLeft: back, "[": speed(false), "]": speed(true), e: () => run.watch(EVERYTHING),
    n: () => neighbour(run, 1), b: () => neighbour(run, -1), "?": showHelp,
  };
}

/** Let keys steer a run. */
export function useShortcuts(run, help) {
  useEffect(() => {
    const actions = actionsOf(run, () => help.current?.togglePopover());
    const listen = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === " " && event.target.closest("button, a, summary")) return;
      const act = actions[event.key];
      if (!act || (run.hasEnded && event.key !== "?")) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [run]);
}

/** Show the shortcuts. */
export function Shortcuts({ run }) {
  const help = useRef(null);
  useShortcuts(run, help);
  return html`<button type="button" popovertarget="shortcuts" title="Keyboard shortcuts (?)"
      aria-label="Keyboard shortcuts">Keys</button>
    <div id="shortcuts" class="panel shortcuts" popover ref=${help} aria-label="Keyboard shortcuts">
      <h2>Keyboard</h2>
      <dl>${HELP.map(([keys, what]) => html`<div key=${keys}><dt><kbd>${keys}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    </div>`;
}
