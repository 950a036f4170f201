// A preset as a card: its picture, its sentence, and what to do with it.
import { post } from "../lib/api.js";
import { html } from "../lib/html.js";
import { go, link } from "../lib/route.js";
import { Action, Fault } from "../lib/ui.js";
import { sentenceOf } from "./sentence.js";
import { SceneCanvas } from "../scene/index.js";
import { useFilm, useSeen, useThumbnail } from "../lib/thumbnail.js";

const WATCH_SPEED = 5; // steps per second

/** Begin a run of a preset as it is, and go to see it. */
async function watch(preset) {
  const run = await post("runs", {
    preset: preset.name, policies: { "": preset.policy }, speed: WATCH_SPEED,
  });
  go("watch", run.id);
}

function Picture({ preset, thumbnail, film }) {
  const { data, error } = thumbnail;
  if (error) return html`<div class="card-picture"><${Fault} error=${error} /></div>`;
  if (!data) {
    return html`<div class="card-picture skeleton" role="img" aria-label="The picture is being drawn"></div>`;
  }
  const scene = film.scene ?? data.scene;
  if (!scene) {
    return html`<div class="card-picture card-blank muted">This world draws no pictures</div>`;
  }
  return html`<div class="card-picture" data-moving=${film.scene ? "yes" : "no"}>
    <${SceneCanvas} scene=${scene} drawings=${data.drawings} controls=${false}
      label=${`${preset.name}: ${data.scene.caption}`} />
  </div>`;
}

function agentsOf({ data }) {
  const entries = Object.entries(data?.agents ?? {});
  return entries.map(([role, count]) => `${count} ${role}${count === 1 ? "" : "s"}`).join(", ");
}

/** Show one preset. */
export function PresetCard({ preset }) {
  const [world, name] = preset.name.split("/");
  const [place, seen] = useSeen();
  const thumbnail = useThumbnail(world, name, seen);
  const film = useFilm(world, name, Boolean(thumbnail.data?.scene));
  const agents = agentsOf(thumbnail);
  return html`<li class="card" ref=${place} data-preset=${preset.name} ...${film.handlers}>
    <${Picture} preset=${preset} thumbnail=${thumbnail} film=${film} />
    <div class="card-body">
      <h3>${name}${preset.default && html` <span class="badge">start here</span>`}</h3>
      <p>${sentenceOf(preset.sentence)}</p>
      <p class="muted small card-facts">${agents && `${agents} · `}played by ${preset.policy}</p>
      <div class="row card-actions">
        <${Action} class="main" run=${() => watch(preset)} label=${`Watch ${preset.name}`}>Watch<//>
        <a class="button" href=${link("configure", world, name)} aria-label=${`Configure ${preset.name}`}>Configure</a>
        <a class="button" href=${link("train", { preset: preset.name })} aria-label=${`Train in ${preset.name}`}>Train</a>
      </div>
    </div>
  </li>`;
}
