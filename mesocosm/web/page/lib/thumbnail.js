// Pictures of presets: drawn when they come into view, moving while somebody points at them.
import { get, part } from "./api.js";
import { useEffect, useRef, useState } from "./html.js";

const AHEAD = "300px"; // how far below the window pictures are drawn already
const FRAME_MILLISECONDS = 160;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_ASKED = 3; // a browser has six connections to a server: some stay free for what is clicked
const thumbnails = new Map(); // by preset, as promises
const films = new Map(); // scenes by preset, as promises
const waiting = []; // thumbnails to be asked for: who came into view last is served first
let asking = 0;

function askNext() {
  while (asking < MOST_ASKED && waiting.length > 0) {
    const { path, resolve, reject } = waiting.pop();
    asking += 1;
    get(path).then(resolve, reject).finally(() => {
      asking -= 1;
      askNext();
    });
  }
}

function loadThumbnail(world, preset) {
  const name = `${world}/${preset}`;
  if (!thumbnails.has(name)) {
    const asked = new Promise((resolve, reject) => {
      waiting.push({ path: `presets/${part(world)}/${part(preset)}/thumbnail`, resolve, reject });
    });
    asked.catch(() => thumbnails.delete(name));
    thumbnails.set(name, asked);
    queueMicrotask(askNext);
  }
  return thumbnails.get(name);
}

/** Give a ref, and whether its element has come into view. */
export function useSeen() {
  const place = useRef(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) {
        setSeen(true);
        watcher.disconnect();
      }
    }, { rootMargin: AHEAD });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, []);
  return [place, seen];
}

/** Ask for the picture of a preset once it is seen. */
export function useThumbnail(world, preset, seen) {
  const [state, setState] = useState({});
  useEffect(() => {
    if (!seen) return undefined;
    let left = false;
    loadThumbnail(world, preset).then((data) => !left && setState({ data }), (error) => !left && setState({ error }));
    return () => { left = true; };
  }, [world, preset, seen]);
  return state;
}

function loadFilm(world, preset) {
  const name = `${world}/${preset}`;
  if (!films.has(name)) {
    const asked = get(`presets/${part(world)}/${part(preset)}/film`).then(({ scenes }) => scenes);
    asked.catch(() => films.delete(name)); // asked for again when pointed at again
    films.set(name, asked);
  }
  return films.get(name);
}

/** Give handlers for a card, and the scene of the film while it is pointed at or has the focus. */
export function useFilm(world, preset, drawn) {
  const [on, setOn] = useState(false);
  const [scene, setScene] = useState(null);
  useEffect(() => {
    if (!on || !drawn || still.matches) return undefined;
    let timer = 0;
    let ended = false;
    loadFilm(world, preset).then((scenes) => {
      if (ended || scenes.length === 0) return;
      let k = 0;
      const next = () => { setScene(scenes[k]); k = (k + 1) % scenes.length; };
      timer = setInterval(next, FRAME_MILLISECONDS);
      next();
    }, () => {}); // the picture stays as it is
    return () => {
      ended = true;
      clearInterval(timer);
      setScene(null);
    };
  }, [on, drawn, world, preset]);
  const handlers = {
    onPointerEnter: () => setOn(true), onPointerLeave: () => setOn(false),
    onFocusIn: () => setOn(true), onFocusOut: () => setOn(false),
  };
  return { scene, handlers };
}
