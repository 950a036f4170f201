// Replays: the recorded runs of the runs folder, or one of them.
import { html } from "../lib/html.js";
import { RecordingList } from "./list.js";
import { Recording } from "./recording.js";

export default function Replays({ path, query }) {
  const [name] = path;
  return name
    ? html`<${Recording} key=${name} name=${name} query=${query} />`
    : html`<${RecordingList} query=${query} />`;
}
