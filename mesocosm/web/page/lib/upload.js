// Take in a policy bundle: choose a file or drop it.
import { upload } from "./api.js";
import { html, useId, useState } from "./html.js";
import { short, useAnswer } from "./ui.js";

const SUFFIX = ".mesop";
const MIB = 1 << 20;

/** Say why a file is refused before it is sent; "" if it is not. */
function findFault(file, most) {
  if (!file.name.endsWith(SUFFIX)) return `${file.name}: must be a policy bundle, a file that ends in ${SUFFIX}`;
  if (most && file.size > most) return `${file.name}: has ${short(file.size / MIB)} MiB; ${short(most / MIB)} MiB are allowed`;
  return "";
}

/** Offer to upload; `onDone(info)` is called with what the server says of the bundle. */
export function BundleUpload({ onDone }) {
  const id = useId();
  const { data: server } = useAnswer("server");
  const [state, setState] = useState({});
  const [over, setOver] = useState(false);
  const take = async (file) => {
    if (!file) return;
    const fault = findFault(file, server?.upload_bytes);
    if (fault) {
      setState({ fault });
      return;
    }
    setState({ busy: file.name });
    try {
      const name = file.name.slice(0, -SUFFIX.length).replace(/[^A-Za-z0-9_.-]+/g, "-");
      const info = await upload("bundles", file, { query: { name } });
      setState({ info });
      onDone?.(info);
    } catch (error) {
      setState({ fault: error.message });
    }
  };
  const drop = (event) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return html`<div class=${`upload ${over ? "upload-over" : ""}`} onDrop=${drop}
      onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}>
    <label for=${id}>Upload a policy bundle (${SUFFIX}${server ? `, up to ${short(server.upload_bytes / MIB)} MiB` : ""})</label>
    <input id=${id} type="file" accept=${SUFFIX} disabled=${Boolean(state.busy)}
      onChange=${(event) => { take(event.currentTarget.files[0]); event.currentTarget.value = ""; }} />
    <p class="small muted">Or drop the file here. It is data: nothing in it is ever run.</p>
    <div role="status">${state.busy && html`<span class="loading"><span class="spinner" aria-hidden="true"></span>Reading ${state.busy} …</span>`}
      ${state.info && html`<span>Took in <b>${state.info.name.replaceAll("~", " / ")}</b>: plays ${state.info.role} of ${state.info.preset},
        trained for ${short(state.info.agent_steps)} agent-steps.</span>`}</div>
    ${state.fault && html`<p class="fault" role="alert">${state.fault}</p>`}
  </div>`;
}
