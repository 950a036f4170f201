// Play an agent: choose among what is allowed, by clicks or keys; the run waits.
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { short } from "../lib/ui.js";
import { choicesOf, firstAction, isUsed, keepAllowed, keyFor, keysOf, levelsOf } from "./action.js";
import { isTyping } from "./keys.js";
import { agentOf } from "./store.js";

const MOST_BUTTONS = 24; // options; more become a list

function Options({ part, index, allowed, chosen, keys, choose }) {
  if (part.options.length > MOST_BUTTONS) {
    return html`<select aria-label=${part.part} value=${String(chosen)}
        onChange=${(event) => choose(index, Number(event.target.value))}>
      ${allowed.map((option) => html`<option key=${option} value=${String(option)}>${part.options[option]}</option>`)}
    </select>`;
  }
  return html`<div class="part" role="group" aria-label=${part.part} title=${part.meaning}>
    ${part.options.map((name, option) => {
      const key = keyFor(keys, index, option);
      return html`<button key=${name} type="button" class="option" data-option=${name}
        disabled=${!allowed.includes(option)} aria-pressed=${chosen === null ? undefined : chosen === option}
        onClick=${() => choose(index, option)}>${name}${key && html` <kbd>${key}</kbd>`}</button>`;
    })}</div>`;
}

function Level({ part, value, change }) {
  const [low, high] = part.range;
  return html`<label class="part">${part.part} <input type="range" min=${low} max=${high} step="any" value=${value}
      onInput=${(event) => change(Number(event.target.value))} /> <output>${short(value)}</output></label>`;
}

function Form({ role, draft, setDraft, frame, keys, act }) {
  const choose = (k, option) =>
    setDraft({ ...draft, choice: draft.choice.map((before, j) => (j === k ? option : before)) });
  const setLevel = (k, value) =>
    setDraft({ ...draft, level: draft.level.map((before, j) => (j === k ? value : before)) });
  const choices = choicesOf(role);
  return html`<form class="act-form" onSubmit=${(event) => { event.preventDefault(); act(draft); }}>
    ${choices.map((part, k) => isUsed(part, role, draft.choice) && html`<fieldset key=${part.part}>
      <legend title=${part.meaning}>${part.part}</legend>
      <${Options} part=${part} index=${k} allowed=${frame.allowed[part.part]} chosen=${draft.choice[k]}
        keys=${keys} choose=${choose} /></fieldset>`)}
    ${levelsOf(role).map((part, k) => isUsed(part, role, draft.choice) && html`<fieldset key=${part.part}>
      <${Level} part=${part} value=${draft.level[k]} change=${(value) => setLevel(k, value)} /></fieldset>`)}
    <button type="submit" class="main">Act <kbd>Enter</kbd></button>
  </form>`;
}

/** Listen to keys that mean options, before anything else on the page does. */
function useOptionKeys(keys, { single, allowed, choose, act }) {
  const now = useRef(null);
  now.current = { keys, single, allowed, choose, act };
  useEffect(() => {
    const listen = (event) => {
      const { keys: known, ...on } = now.current;
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const meant = known.get(event.key);
      if (!meant && !(event.key === "Enter" && !on.single && !event.target.closest("button, a"))) return;
      if (event.key === " " && event.target.closest("button, a, summary")) return;
      event.preventDefault();
      event.stopPropagation();
      if (!meant) on.act();
      else if (on.allowed(meant)) on.choose(meant.part, meant.option);
    };
    document.addEventListener("keydown", listen, true);
    return () => document.removeEventListener("keydown", listen, true);
  }, []);
}

function Acting({ run, role, frame }) {
  const panel = useRef(null);
  const [kept, setDraft] = useState(() => firstAction(role, frame.allowed));
  const draft = keepAllowed(role, kept, frame.allowed);
  const choices = choicesOf(role);
  const single = choices.length === 1 && levelsOf(role).length === 0;
  const keys = keysOf(role);
  const act = ({ choice, level }) => run.act(frame.agent, choice, level);
  const choose = (k, option) => {
    const choice = draft.choice.map((before, j) => (j === k ? option : before));
    if (single) act({ ...draft, choice });
    else setDraft({ ...draft, choice });
  };
  const allowed = ({ part, option }) => !isOut(frame) && frame.allowed[choices[part].part].includes(option)
    && isUsed(choices[part], role, draft.choice);
  useOptionKeys(keys, { single, allowed, choose, act: () => isOut(frame) || act(draft) });
  useEffect(() => panel.current.focus({ preventScroll: true }), []);
  const waits = run.status.value?.waiting?.includes(frame.agent);
  return html`<section class="panel acting" ref=${panel} tabindex="-1" aria-label=${`Play agent ${frame.agent}`}>
    <h2>You play agent ${frame.agent}</h2>
    <p class="small" role="status">${sayWaiting(frame, waits)}</p>
    ${!isOut(frame) && (single ? html`<${Options} part=${choices[0]} index=${0} allowed=${frame.allowed[choices[0].part]} chosen=${null}
        keys=${keys} choose=${choose} />`
      : html`<${Form} role=${role} draft=${draft} setDraft=${setDraft} frame=${frame} keys=${keys} act=${act} />`)}
  </section>`;
}

const isOut = (frame) => frame.terminated || frame.truncated;

function sayWaiting(frame, waits) {
  if (isOut(frame)) return "This agent is out until the next episode: let the run play on, or release it.";
  if (!frame.acting) return "It is not this agent's turn.";
  return waits ? "The run waits for what you do." : "Going on …";
}

/** Show what a person who took over this agent may do. */
export function ActPanel({ run }) {
  const frame = run.frame.value;
  const agent = agentOf(run.perspective.value);
  const role = agent === null ? null : run.roleOf(agent);
  if (!frame || !role || !run.mayPlay(agent) || run.hasEnded) return null;
  return html`<${Acting} key=${agent} run=${run} role=${role} frame=${frame} />`;
}
