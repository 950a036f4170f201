// Make a film of a recording: choose what is shown, follow the work, download the file.
import { getBlob, part, post } from "../lib/api.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { Stream } from "../lib/stream.js";
import { theme } from "../lib/theme.js";
import { Action, Fault } from "../lib/ui.js";
import { bytes, count } from "../lib/format.js";
import { PerspectiveChoice } from "./perspective.js";

const MOST_FRAMES = 300;
const SIDES = [240, 320, 480, 640, 800];
const FORMATS = { gif: "GIF", webp: "WebP", mp4: "MP4" };
const ENDED = ["finished", "stopped", "crashed"];

/** Give the fewest steps between two frames with which a film is not too long. */
const leastEvery = (first, last) => Math.max(Math.ceil((last - first) / (MOST_FRAMES - 1)), 1);
const frames = ({ first, last, every }) => Math.ceil((last - first) / every) + 1;

function NumberField({ label, value, min, max, onChange }) {
  return html`<label>${label}<input type="number" min=${min} max=${max} value=${value}
    onChange=${(event) => onChange(Math.min(Math.max(Math.round(Number(event.target.value)) || min, min), max))} /></label>`;
}

function Choices({ form, set, about, roles }) {
  const last = about.steps;
  const span = (change) => {
    const next = { ...form, ...change };
    set({ ...change, every: Math.max(leastEvery(next.first, next.last), 1) });
  };
  return html`<div class="fields">
    <${PerspectiveChoice} value=${form.perspective} roles=${roles} onChange=${(perspective) => set({ perspective })} />
    <${NumberField} label="From step" value=${form.first} min=${0} max=${form.last} onChange=${(first) => span({ first })} />
    <${NumberField} label="To step" value=${form.last} min=${form.first} max=${last} onChange=${(to) => span({ last: to })} />
    <${NumberField} label="Show every … steps" value=${form.every} min=${leastEvery(form.first, form.last)} max=${100000}
      onChange=${(every) => set({ every })} />
    <label>Frames a second<select value=${form.frames_per_second} onChange=${(event) => set({ frames_per_second: Number(event.target.value) })}>
      ${[2, 4, 8, 12, 20, 30].map((rate) => html`<option key=${rate} value=${rate}>${rate}</option>`)}</select></label>
    <label>Size<select value=${form.side} onChange=${(event) => set({ side: Number(event.target.value) })}>
      ${SIDES.map((side) => html`<option key=${side} value=${side}>${side} pixels</option>`)}</select></label>
    <label>Format<select value=${form.format} onChange=${(event) => set({ format: event.target.value })}>
      ${Object.entries(FORMATS).map(([name, title]) => html`<option key=${name} value=${name}
        disabled=${!about.film_formats.includes(name)}>${title}</option>`)}</select></label>
  </div>`;
}

function Missing({ formats }) {
  if (!formats.includes("gif")) {
    return html`<p class="small">Films need Pillow on the server: <code>pip install 'mesocosm[pictures]'</code></p>`;
  }
  if (formats.includes("mp4")) return null;
  return html`<p class="small muted">MP4 needs ffmpeg on the server: <code>pip install 'mesocosm[video]'</code></p>`;
}

function Progress({ film }) {
  const { doing = "starting", done = 0, total } = film.progress;
  return html`<div class="row" role="status">
    <progress aria-label="Film" max=${total} value=${total ? done : undefined}></progress>
    <span class="small">${doing}${total ? `: ${done} of ${total} frames` : ""}</span>
    <${Action} run=${() => post(`films/${part(film.id)}/stop`)}>Stop<//></div>`;
}

function Made({ film }) {
  const { result, url, id } = film;
  const file = `${id}.${result.format}`;
  return html`<div class="made">
    ${result.format !== "mp4" && html`<img src=${url} alt="The film" width=${result.width} height=${result.height} />`}
    <a class="button main" href=${url} download=${file}>Save ${FORMATS[result.format]}, ${bytes(result.bytes)}</a>
    <span class="small muted">${count(result.frames)} frames of ${result.width} × ${result.height}; also in <code>films/${file}</code> of the runs folder</span>
  </div>`;
}

/** Follow the film that was begun; its file is fetched when it is there. */
function useFilm() {
  const [film, setFilm] = useState(null);
  const stream = useRef(null);
  const url = useRef(null);
  const merge = (change) => setFilm((before) => ({ ...before, ...change }));
  const forget = () => {
    stream.current?.close();
    if (url.current) URL.revokeObjectURL(url.current);
    url.current = null;
  };
  useEffect(() => forget, []);
  const fetchFile = async (id, result) => {
    url.current = URL.createObjectURL(await getBlob(`films/${part(id)}/file`));
    merge({ result, url: url.current });
  };
  const begin = async (name, asked) => {
    forget();
    setFilm(null);
    const { id } = await post(`replays/${part(name)}/films`, asked);
    setFilm({ id, status: "starting", progress: {} });
    stream.current = new Stream(id, {
      status({ status, error, result, ...progress }) {
        merge({ status, error, progress });
        if (ENDED.includes(status)) stream.current.close();
        if (status === "finished") fetchFile(id, result).catch((fault) => merge({ error: fault }));
      },
      gone: () => merge({ status: "crashed", error: "the server was started again meanwhile; make the film once more" }),
    });
  };
  return [film, begin];
}

/** @param moment where the player is: env, step, perspective, roles */
export function Film({ name, about, moment }) {
  const [form, setForm] = useState(() => ({
    perspective: "everything", first: 0, last: about.steps, every: leastEvery(0, about.steps),
    frames_per_second: 8, side: 480, format: "gif",
  }));
  const [film, begin] = useFilm();
  const set = (change) => setForm((before) => ({ ...before, ...change }));
  const working = film && !ENDED.includes(film.status);
  const make = () => begin(name, { ...form, env: moment.env, theme: theme.peek() });
  return html`<section class="panel film" aria-labelledby="film-title">
    <h2 id="film-title">Film</h2>
    <${Choices} form=${form} set=${set} about=${about} roles=${moment.roles} />
    <p class="small muted">${count(frames(form))} frames, ${(frames(form) / form.frames_per_second).toFixed(1)} seconds${about.num_envs > 1 ? `, of env ${moment.env}` : ""}. At most ${MOST_FRAMES} frames.</p>
    <${Missing} formats=${about.film_formats} />
    ${!working && html`<${Action} run=${make} disabled=${!about.film_formats.includes(form.format)}>Make film<//>`}
    ${working && html`<${Progress} film=${film} />`}
    <${Fault} error=${film?.error} />
    ${film?.url && html`<${Made} film=${film} />`}
  </section>`;
}
