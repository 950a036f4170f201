// Train: start a training, find one, and follow it while it learns.
import { html } from "../lib/html.js";
import { Follow } from "./follow.js";
import { TrainForm } from "./form.js";
import { TrainingList } from "./list.js";

export default function Train({ path, query }) {
  if (path[0]) return html`<${Follow} key=${path[0]} name=${path[0]} />`;
  return html`<div class="train-start">
    <${TrainForm} key=${query.preset ?? ""} wanted=${query.preset} />
    <${TrainingList} />
  </div>`;
}
