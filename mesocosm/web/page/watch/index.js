// Watch: live runs and replays, as everybody or as one agent sees them.
import { html, useEffect, useMemo } from "../lib/html.js";
import { RunList } from "./list.js";
import { RunView } from "./run.js";
import { EVERYTHING, WatchedRun } from "./store.js";

function Watched({ name, query }) {
  const run = useMemo(() => new WatchedRun(name, query.perspective, query.follow), [name]);
  useEffect(() => () => run.close(), [run]);
  useEffect(() => {
    run.watch(query.perspective || EVERYTHING);
    run.follow.value = query.follow ?? "";
  }, [run, query]);
  return html`<${RunView} run=${run} step=${query.step} />`;
}

export default function Watch({ path, query }) {
  const [name] = path;
  if (!name) return html`<${RunList} />`;
  return html`<${Watched} key=${name} name=${name} query=${query} />`;
}
