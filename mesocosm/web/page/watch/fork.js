// Begin a new run that is the same until a step.
import { get, part, post } from "../lib/api.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { go } from "../lib/route.js";
import { Action, useAnswer } from "../lib/ui.js";

const LOOK_MILLISECONDS = 150;

async function waitUntilStarted(name) {
  for (;;) {
    const { status, error } = await get(`runs/${part(name)}`);
    if (status === "crashed") throw new Error(error);
    if (status !== "starting") return;
    await new Promise((resolve) => { setTimeout(resolve, LOOK_MILLISECONDS); });
  }
}

/** Fork what was recorded of a run that has ended: open it, fork, and close it again. */
export async function forkRecording(name, step, asked) {
  const { id } = await post(`replays/${part(name)}/open`, { step: 0 });
  try {
    await waitUntilStarted(id);
    return await post(`runs/${part(id)}/fork`, { ...asked, step });
  } finally {
    await post(`runs/${part(id)}/stop`).catch(() => null);
  }
}

function PolicyOf({ role, before, names, value, change }) {
  return html`<label class="part">${role.name} <select value=${value} onChange=${(event) => change(event.target.value)}>
    <option value="">${before ? `as before (${before})` : "as before"}</option>
    ${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>`;
}

function Form({ run, detail, at, close }) {
  const [step, setStep] = useState(at);
  const [chosen, setChosen] = useState({});
  const { data } = useAnswer(`policies`, { world: detail.world });
  const names = (data ?? []).map(({ name }) => name);
  const fork = async () => {
    const policies = Object.fromEntries(Object.entries(chosen).filter(([, name]) => name));
    const asked = { paused: true };
    if (Object.keys(policies).length > 0 || run.hasEnded) asked.policies = { ...detail.policies, ...policies };
    const made = run.hasEnded ? await forkRecording(run.name, step, asked)
      : await post(`runs/${part(run.name)}/fork`, { ...asked, step });
    close();
    go("watch", made.id);
  };
  return html`<h2>Fork this run</h2>
    <p>A new run begins that is the same until the step you choose. From there on it goes its own way, and
      you may let others play.</p>
    <label class="part">Step <input type="number" min="0" value=${step}
      onInput=${(event) => setStep(Number(event.target.value))} /></label>
    ${detail.roles.map((role) => html`<${PolicyOf} key=${role.name} role=${role} names=${names}
      before=${detail.policies[role.name] ?? detail.policies[""] ?? (detail.kind === "replay" ? "random" : "")}
      value=${chosen[role.name] ?? ""} change=${(name) => setChosen({ ...chosen, [role.name]: name })} />`)}
    <div class="row"><${Action} class="main" run=${fork}>Fork from step ${step}<//>
      <button type="button" onClick=${close}>Cancel</button></div>`;
}

/** The dialogue that asks where to fork, and who plays. */
export function ForkDialog({ run }) {
  const dialog = useRef(null);
  const step = run.forking.value;
  const detail = run.detail.value;
  const isOpen = step !== null && Boolean(detail);
  useEffect(() => {
    if (isOpen && !dialog.current.open) dialog.current.showModal();
    if (!isOpen && dialog.current.open) dialog.current.close();
  }, [isOpen]);
  const close = () => { run.forking.value = null; };
  return html`<dialog class="panel fork" ref=${dialog} onClose=${close} aria-label="Fork this run">
    ${isOpen && html`<${Form} key=${step} run=${run} detail=${detail} at=${step} close=${close} />`}
  </dialog>`;
}
