// The latest policy of a training, playing beside it.
import { get, part, post } from "../lib/api.js";
import { count } from "../lib/format.js";
import { html, useEffect, useState } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Stream } from "../lib/stream.js";
import { Fault, Loading, short } from "../lib/ui.js";
import { SceneCanvas, SceneLegend } from "../scene/index.js";

const STEPS = 600; // that a policy plays before the newest one does
const SPEED = 8;
const NEWER_MILLISECONDS = 30_000; // after which the newest policy plays, while it learns
const ASK_MILLISECONDS = 2000;
const LATEST = /~policies~last(?:-(.+))?\.mesop$/;

/** Give who plays by role: the last policies of a training. */
export function latestPolicies(bundles) {
  const found = bundles.map((name) => [name, LATEST.exec(name)]).filter(([, match]) => match);
  return Object.fromEntries(found.map(([name, match]) => [match[1] ?? "", `bundle/${name}`]));
}

/** Wait until there is a policy; ask now and then. */
function usePolicies(name, detail) {
  const [policies, setPolicies] = useState({});
  const there = Object.keys(policies).length > 0;
  useEffect(() => {
    if (detail) setPolicies(latestPolicies(detail.bundles));
  }, [detail]);
  useEffect(() => {
    if (there || !detail) return undefined;
    const ask = () => get(`replays/${part(name)}`).then((found) => setPolicies(latestPolicies(found.bundles))).catch(() => null);
    const timer = setInterval(ask, ASK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [name, there, Boolean(detail)]);
  return policies;
}

/** Play policies, until they are played anew or nobody looks. */
function usePlay(config, policies, ended) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  const who = JSON.stringify(policies);
  const what = JSON.stringify(config ?? null);
  useEffect(() => {
    if (who === "{}" || !config) return undefined;
    let gone = false;
    let id = null;
    const own = {};
    const take = (change) => { if (!gone) setState((before) => ({ ...before, ...change })); };
    const begin = async () => {
      const asked = { config, policies: JSON.parse(who), speed: SPEED, steps: STEPS, record: false, seed: turn };
      const run = await post("runs", asked);
      id = run.id;
      if (gone) { post(`runs/${part(id)}/stop`).catch(() => null); return; }
      take({ run: id, error: null });
      own.stream = new Stream(id, {
        frame: (frame) => {
          take({ frame });
          own.timer ??= ended ? 0 : setTimeout(() => setTurn((before) => before + 1), NEWER_MILLISECONDS);
        },
        status: async (message) => {
          if (message.status === "crashed") take({ error: message.error });
          if (message.status === "finished") setTurn((before) => before + 1);
          if (message.status === "running" && !own.asked) {
            own.asked = true;
            take({ drawings: await get(`runs/${part(id)}/drawings`) });
            const [bundle] = Object.values(JSON.parse(who));
            take({ card: await get(`bundles/${part(bundle.slice("bundle/".length))}`) });
          }
        },
      });
    };
    begin().catch((error) => take({ error }));
    const end = () => {
      gone = true;
      clearTimeout(own.timer);
      own.stream?.close();
      if (id) post(`runs/${part(id)}/stop`, {}, { keepalive: true }).catch(() => null);
    };
    addEventListener("pagehide", end);
    return () => {
      removeEventListener("pagehide", end);
      end();
    };
  }, [who, what, turn, ended]);
  return { ...state, again: () => setTurn((before) => before + 1) };
}

export function LatestPolicy({ name, detail, ended }) {
  const policies = usePolicies(name, detail);
  const { card, run, frame, drawings, error, again } = usePlay(detail?.config, policies, ended);
  const there = Object.keys(policies).length > 0;
  const score = card?.metrics?.mean_return;
  return html`<section class="panel train-beside" aria-labelledby="beside-title">
    <h2 id="beside-title">The latest policy plays</h2>
    ${!there && (ended
      ? html`<p class="muted">It wrote no policy: it ended before the first one.</p>`
      : html`<${Loading} what="Waiting for the first policy, which is written after 2 % of the training" />`)}
    ${there && !frame && !error && html`<${Loading} what="Loading the policy" />`}
    <${Fault} error=${error} />
    ${frame && (frame.scene
      ? html`<div class="beside-scene"><${SceneCanvas} scene=${frame.scene} drawings=${drawings}
          label=${`The latest policy of ${name}, step ${frame.step}`} /></div>
          <${SceneLegend} scene=${frame.scene} drawings=${drawings} />`
      : html`<p class="muted">This world draws no scenes.</p>`)}
    ${frame && html`<p class="small">${card ? html`Learnt for <b>${count(card.agent_steps)}</b> agent-steps${score !== null && score !== undefined
      ? html`, mean return <b>${short(score)}</b>` : ""} · ` : ""}step <b class="beside-step">${frame.step}</b></p>
      <div class="row"><button type="button" onClick=${again}>Play the newest policy</button>
        ${run && html`<a class="button" href=${link("watch", run)}>Open in Watch</a>`}</div>`}
  </section>`;
}
