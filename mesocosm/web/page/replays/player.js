// Scrub through a recording: picture, time line, perspective, link to this step, fork.
import { part, post } from "../lib/api.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { go, link, note } from "../lib/route.js";
import { PlayButton, SpeedChoice, StepButton, StepSlider, sayStep } from "../lib/transport.js";
import { Action, Copy, Fault, Loading } from "../lib/ui.js";
import { SceneCanvas, SceneLegend, SceneWords } from "../scene/index.js";
import { count } from "../lib/format.js";
import { PerspectiveChoice } from "./perspective.js";
import { ReplaySession } from "./session.js";

/** Follow a recording; gives what is shown, and the session to steer it by. */
function useReplay(name, { env, step, perspective }) {
  const [state, setState] = useState({});
  const session = useRef(null);
  const merge = (change) => setState((before) => ({ ...before, ...change }));
  useEffect(() => {
    setState({});
    session.current = new ReplaySession(name, { env, step, perspective }, {
      frame: (frame) => merge({ frame, fault: null }),
      status: (status) => merge({ status }),
      ready: merge,
      fault: (fault) => merge({ fault }),
    });
    return () => session.current.close();
  }, [name, env]);
  return { ...state, session };
}

/** Play, step and slide through time; at the end it begins anew. */
function Controls({ session, at, last, status }) {
  const playing = status?.status === "running";
  const seek = (step) => session.current.seek(Math.min(Math.max(step, 0), last));
  const jump = Math.max(Math.round(last / 20), 1);
  const isOver = at >= last && !playing;
  const press = async () => {
    if (isOver) await seek(0);
    await session.current.command(playing ? "pause" : "resume");
  };
  return html`<div class="transport" role="group" aria-label="Time">
    <${StepButton} label="To the first step" off=${at <= 0} onPress=${() => seek(0)}>❘◂<//>
    <${StepButton} label="One step back" off=${at <= 0} onPress=${() => seek(at - 1)}>−1<//>
    <${PlayButton} isPaused=${!playing} onPress=${press}>${isOver ? "Play again" : null}<//>
    <${StepButton} label="One step on" off=${at >= last} onPress=${() => seek(at + 1)}>+1<//>
    ${jump > 1 && html`<${StepButton} label=${`${jump} steps on`} off=${at >= last} onPress=${() => seek(at + jump)}>+${jump}<//>`}
    <${StepSlider} at=${at} most=${last} label="Step" onMove=${seek} onDrop=${seek} />
    <label>Step <input type="number" min="0" max=${last} value=${at} class="step"
      onChange=${(event) => seek(Number(event.target.value) || 0)} /></label>
    <span class="muted">of ${count(last)}</span>
    <${SpeedChoice} speed=${status?.speed ?? 0} onChange=${(speed) => session.current.command("speed", { speed })} />
  </div>`;
}

function Ways({ name, session, at, place }) {
  const fork = async () => {
    const { id } = await post(`runs/${part(session.current.id)}/fork`, { step: at, paused: true });
    go("watch", id);
  };
  const watch = () => {
    session.current.keep();
    go("watch", session.current.id, { perspective: place.perspective });
  };
  const address = new URL(link("replays", name, place), location.href).href;
  return html`<div class="row ways">
    <button type="button" onClick=${watch}>Open in Watch</button>
    <${Action} run=${fork} title="A new run that is the same until this step, and goes on differently">Fork from this step<//>
    <${Copy} text=${address}>Copy link to this step<//>
  </div>`;
}

/** Keep the address at what is shown, so that a link leads back to it. */
function useAddress(name, place, settled) {
  const text = JSON.stringify(place);
  useEffect(() => {
    if (settled) note("replays", name, JSON.parse(text));
  }, [name, text, settled]);
}

function Picture({ frame, drawings, perspective }) {
  const scene = frame.perspective === perspective ? frame.scene : null;
  if (scene === null && frame.perspective === perspective) {
    return html`<p class="panel">This world has no picture of everything; choose an agent's perspective, or open it in Watch.</p>`;
  }
  return html`<div class="stage"><${SceneCanvas} scene=${scene} drawings=${drawings} /></div>
    <p class="caption small">${scene?.caption}</p>
    <${SceneLegend} scene=${scene} drawings=${drawings} />
    <${SceneWords} scene=${scene} />`;
}

/** @param onMoment told {env, step, perspective, roles}, for the parts beside the player */
export function Player({ name, about, query, onMoment }) {
  const env = query.env === undefined ? about.first_env : Number(query.env);
  const [perspective, setPerspective] = useState(query.perspective || "everything");
  const wanted = Math.max(Number(query.step) || 0, 0);
  const { frame, status, drawings, roles, fault, session } = useReplay(name, { env, step: Math.min(wanted, about.steps), perspective });
  const last = status?.num_steps ?? about.steps;
  const at = frame?.step ?? wanted;
  const playing = status?.status === "running";
  const place = {
    step: at, env: env === about.first_env ? undefined : env,
    perspective: perspective === "everything" ? undefined : perspective,
  };
  useAddress(name, place, Boolean(frame) && !playing);
  useEffect(() => { if (frame) session.current.seek(Math.min(wanted, last)); }, [wanted]);
  useEffect(() => onMoment({ env, step: at, perspective, roles }), [env, at, perspective, roles]);
  const look = (next) => {
    setPerspective(next);
    session.current.watch(next);
  };
  return html`<section class="panel player" aria-labelledby="player-title">
    <h2 id="player-title" class="hidden">Player</h2>
    <div class="row tools">
      <${PerspectiveChoice} value=${perspective} roles=${roles} onChange=${look} />
      <${EnvChoice} about=${about} env=${env} onChange=${(next) => go("replays", name, { ...query, env: next, step: 0 })} />
      <span class="grow"></span>
      <span class="muted small" role="status">${frame ? sayStep(frame) : ""}</span>
    </div>
    <${Fault} error=${fault ?? status?.error} />
    ${frame && drawings ? html`<${Picture} frame=${frame} drawings=${drawings} perspective=${perspective} />`
      : !fault && !status?.error && html`<div class="stage waiting"><${Loading} what="Opening the recording" /></div>`}
    ${frame && html`<${Controls} session=${session} at=${at} last=${last} status=${status} />
      <${Ways} name=${name} session=${session} at=${at} place=${place} />`}
  </section>`;
}

function EnvChoice({ about, env, onChange }) {
  const { first_env: first, num_envs: number } = about;
  if (number < 2) return null;
  return html`<label>Env <input type="number" class="env" min=${first} max=${first + number - 1} value=${env}
    onChange=${(event) => onChange(Math.min(Math.max(Number(event.target.value) || first, first), first + number - 1))} />
    <span class="muted small">of ${first} to ${first + number - 1}</span></label>`;
}
