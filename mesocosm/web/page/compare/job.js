// A recorded evaluation, or one that goes on: its progress, then its tables.
import { get, part, post } from "../lib/api.js";
import { html, useEffect, useState } from "../lib/html.js";
import { Stream } from "../lib/stream.js";
import { Action, Badge, Fault, Loading } from "../lib/ui.js";

const GOING = ["starting", "running"];

/** Read tables of a run folder; one that is not there has no rows. */
async function readTables(name, tables) {
  const { tables: there, about } = await get(`replays/${part(name)}`);
  const found = await Promise.all(tables.map(async (table) => (there.includes(table)
    ? (await get(`replays/${part(name)}/tables/${part(table)}`, { query: { most: 10_000 } })).rows
    : [])));
  return { about, rows: Object.fromEntries(tables.map((table, k) => [table, found[k]])) };
}

/** Follow a job while it goes on; `onEnd` is called when it ended under our eyes. */
function useJob(run, onEnd) {
  const [status, setStatus] = useState(run.live ?? null);
  const going = run.live && GOING.includes(run.live.status);
  useEffect(() => {
    if (!going) {
      setStatus(run.live ?? null);
      return undefined;
    }
    const stream = new Stream(run.name, {
      status: (message) => {
        setStatus(message);
        if (!GOING.includes(message.status)) {
          stream.close();
          onEnd();
        }
      },
      gone: () => setStatus(null),
    });
    return () => stream.close();
  }, [run.name, going]);
  return status;
}

/**
 * Show a job and, once it ended, its tables.
 * @param props run; kind: in words; tables: names; show({about, rows}): how they are shown
 */
export function Job({ run, kind, tables, onEnd, show }) {
  const status = useJob(run, onEnd);
  const going = status && GOING.includes(status.status);
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    if (going) return;
    readTables(run.name, tables).then((read) => { setFound(read); setError(null); })
      .catch((failed) => !status?.error && setError(failed));
  }, [run.name, going]);
  const empty = found && tables.every((table) => found.rows[table].length === 0);
  const word = status?.status ?? run.status;
  return html`<section class="panel compare-part" aria-label=${run.name}>
    <header class="row"><h2>${run.name}</h2><span class="muted">${kind} · ${run.preset ?? run.live?.preset}</span>
      ${word && word !== "finished" && html`<${Badge} status=${word} />`}</header>
    ${going && html`<${Going} name=${run.name} status=${status} />`}
    <${Fault} error=${status?.error || run.error || error} />
    ${!going && !found && !error && !status?.error && html`<${Loading} />`}
    ${!going && empty && !status?.error && html`<p class="muted">It has no results: it ended before the last episode.</p>`}
    ${!going && found && !empty && show(found)}
  </section>`;
}

function Going({ name, status }) {
  const { done = 0, total = 0, doing } = status;
  return html`<div class="row" role="status"><label class="row compare-going"><span class="hidden">Bouts that were played</span>
      <progress max=${total || 1} value=${total ? done : undefined}></progress></label>
    <span>${total ? `${done} of ${total} bouts` : "Starting"}${doing ? html` · <span class="muted">${doing}</span>` : " …"}</span>
    <${Action} run=${() => post(`evaluations/${part(name)}/stop`)}>Stop<//></div>`;
}
