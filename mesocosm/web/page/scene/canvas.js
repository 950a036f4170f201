// A scene on a canvas that can be panned, zoomed, followed and pointed at.
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { findPlaces } from "./item.js";
import { Painter } from "./painter.js";
import { pick } from "./pick.js";
import { Gestures, moveByKey } from "./pointer.js";
import { theme } from "../lib/theme.js";
import { centreView, fitView, placeOf, zoomView } from "./view.js";

const FLASH_MILLISECONDS = 500;
const FOLLOW_ZOOM = 2; // how much nearer what is followed is shown, unless somebody zooms
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** What one canvas shows: scene, view, what is lit up; draws in the next animation frame. */
export class Stage {
  constructor(canvas) {
    this.painter = new Painter(canvas);
    this.props = {};
    this.size = [0, 0];
    this.own = null; // the view that somebody chose; else the scene's box is shown
    this.lit = { places: [], since: -Infinity };
    this.wanted = 0;
  }

  /** Take in what is to be shown. */
  show(props) {
    const { highlight } = props;
    const changed = JSON.stringify(highlight) !== JSON.stringify(this.props.highlight);
    const forgotten = this.props.scene && !props.scene;
    this.props = props;
    if (forgotten) this.painter.forget();
    if (changed) this.lit.since = still.matches ? -Infinity : performance.now();
    this.lit.places = findPlaces(props.scene, highlight);
    this.redraw();
  }

  resize(width, height) {
    this.size = [width, height];
    this.redraw();
  }

  view() {
    const [width, height] = this.size;
    const { scene, follow } = this.props;
    const base = this.own ?? fitView(scene, width, height);
    const [place] = follow ? findPlaces(scene, { key: follow }) : [];
    if (!place) return base;
    const zoomed = this.own ? base : zoomView(base, FOLLOW_ZOOM, [0, 0]);
    return centreView(zoomed, [place[0] + place[2] / 2, place[1] + place[3] / 2], width, height);
  }

  setView(view) {
    if (this.props.follow && view.scale === this.view().scale) this.props.onUnfollow?.();
    this.own = view;
    this.redraw();
  }

  reset() {
    this.own = null;
    this.redraw();
  }

  redraw() {
    if (!this.wanted) this.wanted = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.wanted = 0;
    const { scene, drawings } = this.props;
    const [width, height] = this.size;
    if (!scene || !drawings || width < 1 || height < 1) return;
    const time = performance.now() - this.lit.since;
    this.painter.paint(scene, drawings, drawings.themes[theme.peek()], {
      width,
      height,
      view: this.view(),
      highlight: this.lit.places,
      time,
      ratio: devicePixelRatio || 1,
    });
    if (this.lit.places.length > 0 && time < FLASH_MILLISECONDS) this.redraw();
  }

  close() {
    cancelAnimationFrame(this.wanted);
    this.painter.forget();
  }

  find(pixel) {
    const { scene } = this.props;
    return scene ? pick(scene, this.view(), placeOf(this.view(), ...pixel)) : null;
  }
}

/**
 * Show a scene.
 * @param props scene; drawings; follow: a key such as `agent 3`; highlight: {key}, {entry} or
 *   {box}; onPick(found, how): what is pointed at, `how` is `hover` or `click`, found may be null;
 *   onUnfollow: called when somebody pans away; label: what the picture is called; controls: false
 *   for a mere picture
 */
export function SceneCanvas({
  scene, drawings, follow, highlight, onPick, onUnfollow, label, controls = true,
}) {
  const canvas = useRef(null);
  const stage = useRef(null);
  const picked = useRef(onPick);
  const [tip, setTip] = useState(null);
  picked.current = onPick;
  useLayoutEffect(() => {
    const made = new Stage(canvas.current);
    stage.current = made;
    const stop = followElement(canvas.current, made);
    const point = (how) => (pixel) => {
      const found = pixel && made.find(pixel);
      setTip(found?.label ? { text: found.label, at: pixel } : null);
      picked.current?.(found, how);
    };
    const look = { view: () => made.view(), setView: (v) => made.setView(v),
      reset: () => made.reset(), hover: point("hover"), click: point("click") };
    const gestures = controls ? new Gestures(canvas.current, look) : null;
    return () => {
      gestures?.close();
      stop();
      made.close();
    };
  }, [controls]);
  // in the animation frame that comes next, not in the one after it
  useLayoutEffect(() => stage.current.show({ scene, drawings, follow, highlight, onUnfollow }),
    [scene, drawings, follow, highlight, controls]);
  const words = label ?? scene?.caption ?? "nothing to show yet";
  const picture = html`<canvas ref=${canvas} role="img" aria-label=${words}></canvas>`;
  if (!controls) return html`<div class="scene">${picture}</div>`;
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (moveByKey(event.key, stage.current, stage.current.size)) event.preventDefault();
  };
  return html`<div class="scene scene-live" role="group" tabindex="0" onKeyDown=${onKeyDown}
      aria-label="Picture: arrow keys move, plus and minus zoom, 0 shows all">
    ${picture}
    ${tip && html`<div class="scene-tip" style=${`left:${tip.at[0]}px;top:${tip.at[1]}px`}>${tip.text}</div>`}
    <div class="scene-buttons">
      <${ZoomButton} stage=${stage} name="Zoom in" key_="+" sign="+" />
      <${ZoomButton} stage=${stage} name="Zoom out" key_="-" sign="−" />
      <${ZoomButton} stage=${stage} name="Show all" key_="0" sign="⤢" />
    </div>
  </div>`;
}

function ZoomButton({ stage, name, key_, sign }) {
  const press = () => moveByKey(key_, stage.current, stage.current.size);
  return html`<button type="button" class="scene-button" title=${`${name} (${key_})`}
    aria-label=${name} onClick=${press}>${sign}</button>`;
}

/** Redraw when the element's size, the theme or the screen's resolution changes. */
function followElement(element, stage) {
  const sizes = new ResizeObserver(() => stage.resize(element.clientWidth, element.clientHeight));
  sizes.observe(element);
  const forgetTheme = theme.subscribe(() => stage.redraw());
  return () => {
    sizes.disconnect();
    forgetTheme();
  };
}
