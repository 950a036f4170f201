// A training as it goes on, or as it was recorded.
import { get, part } from "../lib/api.js";
import { useEffect, useRef, useState } from "../lib/html.js";
import { Stream } from "../lib/stream.js";
import { mergeRows } from "./curve.js";

const SHOW_MILLISECONDS = 200; // between two drawings of a curve that grows
const MOST_ROWS = 10_000;
export const ENDED = ["finished", "stopped", "crashed", "interrupted", "failed", "cut off"];

/** Read the whole curve of a run folder. */
export async function readCurve(name) {
  const rows = [];
  for (let after = 0; ;) {
    const answer = await get(`replays/${part(name)}/tables/learning`, { query: { after, most: MOST_ROWS } });
    rows.push(...answer.rows);
    if (answer.rows.length < MOST_ROWS) return rows;
    after = answer.next;
  }
}

/** What a recorded training says of itself, in the words of a session. */
function fromRecording(found) {
  return { status: found.status, error: found.error, recorded: true, preset: found.preset };
}

/**
 * Follow a training: {status, rows, detail, error}. `status` is the last message of its stream, or
 * made of its run folder; `detail` is its run folder, as soon as there is one.
 */
export function useTraining(name) {
  const [status, setStatus] = useState(null);
  const [rows, setRows] = useState([]);
  const [detail, setDetail] = useState(null);
  const [error, setError] = useState(null);
  const waiting = useRef([]);
  useEffect(() => {
    const show = () => {
      if (waiting.current.length === 0) return;
      const more = waiting.current.splice(0);
      setRows((before) => mergeRows(before, more));
    };
    let first = true;
    const timer = setInterval(show, SHOW_MILLISECONDS);
    const open = async () => {
      const found = await get(`replays/${part(name)}`);
      setDetail(found);
      return found;
    };
    const stream = new Stream(name, {
      status: (message) => {
        if (message.kind !== "training") setError(`${name} is a ${message.kind}, not a training`);
        else setStatus(message);
      },
      metrics: async (message) => {
        waiting.current.push(...message.rows);
        if (first && message.rows[0]?.update > 1) { // the server keeps the last rows only
          first = false;
          waiting.current.push(...await readCurve(name).catch(() => []));
        }
        first = false;
      },
      gone: async () => {
        try {
          const found = await open();
          if (found.tables.includes("learning")) setRows(await readCurve(name));
          setStatus(fromRecording(found));
        } catch (failed) {
          setError(failed);
        }
      },
    });
    return () => {
      clearInterval(timer);
      stream.close();
    };
  }, [name]);
  useEffect(() => { // the folder is made when it begins, and says more when it ends
    if (!status || status.recorded || status.status === "starting") return;
    get(`replays/${part(name)}`).then(setDetail).catch(() => null);
  }, [name, status?.status]);
  return { status, rows, detail, error };
}
