// Proofs of recorded runs: started, followed, and kept until the page is loaded again.
import { part, post } from "../lib/api.js";
import { html, signal } from "../lib/html.js";
import { Stream } from "../lib/stream.js";
import { Action, Badge, Fault } from "../lib/ui.js";
import { count } from "../lib/format.js";

/** What is known of each recording, by name: {status, step, total, result, error}. */
export const proofs = signal({});

const keep = (name, proof) => { proofs.value = { ...proofs.value, [name]: proof }; };

/** Say in a word what a proof found. */
export function wordOf({ status, result }) {
  if (status !== "finished") return status === "crashed" ? "not verified" : status === "stopped" ? "stopped" : "verifying";
  return result?.holds ? "verified" : "differs";
}

/** Begin to prove a recording, and follow the proof to its end. */
async function verify(name) {
  const { id } = await post(`replays/${part(name)}/verify`);
  keep(name, { id, status: "starting" });
  const stream = new Stream(id, {
    status({ status, step, num_steps: total, result, error }) {
      const before = proofs.value[name];
      keep(name, { id, status, step: step ?? before.step, total: total ?? before.total, result, error });
      if (["finished", "stopped", "crashed"].includes(status)) stream.close();
    },
    gone() {
      keep(name, { status: "crashed", error: "the server was started again meanwhile; verify once more" });
    },
  });
}

/** Say where a recording differs, from the proof's result. */
export function differences({ num_equal: equal, operation, fields, problems }) {
  const lines = fields.length
    ? [`The first difference is after ${operation} ${count(equal)}, in ${fields.join(", ")}.`] : [];
  return [...lines, ...problems];
}

function Progress({ proof }) {
  const { step = 0, total, id } = proof;
  return html`<div class="row">
    <progress aria-label="Proof" max=${total || undefined} value=${total ? step : undefined}></progress>
    <span class="small">${total ? `${count(step)} of ${count(total)} steps` : "starting"}</span>
    <${Action} run=${() => post(`verifications/${part(id)}/stop`)}>Stop<//></div>`;
}

function Found({ result }) {
  if (result.holds) {
    return html`<p class="small">All ${count(result.num_steps)} steps were played again and are bit for bit the same;
      ${count(result.num_files)} files are what was written.</p>${notes(result)}`;
  }
  return html`<ul class="differences">${differences(result).map((line) => html`<li key=${line}>${line}</li>`)}</ul>
    ${notes(result)}`;
}

const notes = ({ notes: lines }) => lines.map((line) => html`<p key=${line} class="small muted">${line}</p>`);

/** The badge of a recording, and the button that proves it. */
export function Proof({ name }) {
  const proof = proofs.value[name];
  const word = proof && wordOf(proof);
  return html`<section class="panel proof" aria-labelledby="proof-title">
    <h2 id="proof-title">Proof</h2>
    <div class="row" role="status">
      ${proof ? html`<${Badge} status=${word} />` : html`<span class="muted small">Not verified since this page was loaded.</span>`}
    </div>
    ${word === "verifying" && html`<${Progress} proof=${proof} />`}
    ${proof?.result && html`<${Found} result=${proof.result} />`}
    <${Fault} error=${proof?.error} />
    ${word !== "verifying" && html`<${Action} run=${() => verify(name)}>${proof ? "Verify again" : "Verify"}<//>`}
    ${!proof && html`<p class="small muted">Plays every step again, and compares every file and every digest with what was recorded.</p>`}
  </section>`;
}
