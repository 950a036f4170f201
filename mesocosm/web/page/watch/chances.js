// How probable a policy found each option of the last action.
import { html } from "../lib/html.js";
import { choicesOf } from "./action.js";

const MOST_OPTIONS = 12;

function Part({ name, chances, chosen }) {
  const sorted = Object.entries(chances).map(([option, chance], k) => ({ option, chance, k }));
  if (sorted.length > MOST_OPTIONS) sorted.sort((one, other) => other.chance - one.chance);
  const shown = sorted.slice(0, MOST_OPTIONS);
  return html`<table class="chances"><caption>${name}</caption><tbody>
    ${shown.map(({ option, chance, k }) => html`<tr key=${option} class=${k === chosen ? "chosen" : ""}>
      <th scope="row">${option}${k === chosen && html` <small>chosen</small>`}</th>
      <td><span class="bar" aria-hidden="true"><span style=${`width:${chance * 100}%`}></span></span></td>
      <td class="number">${(chance * 100).toFixed(1)} %</td></tr>`)}
    </tbody></table>
    ${sorted.length > shown.length && html`<p class="small muted">and ${sorted.length - shown.length} less probable ones</p>`}`;
}

/** Show the probabilities of one agent's options. */
export function Chances({ probabilities, action, role }) {
  if (!probabilities || !role) return null;
  const choices = choicesOf(role);
  return html`<section aria-label="Probabilities of the policy"><h3>How probable its policy found each option</h3>
    ${Object.entries(probabilities).map(([name, chances]) => html`<${Part} key=${name} name=${name} chances=${chances}
      chosen=${action?.choice[choices.findIndex(({ part }) => part === name)]} />`)}</section>`;
}
