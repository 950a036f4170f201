// A run that is watched: what it said last, from one perspective, and how to steer it.
import { get, part, post } from "../lib/api.js";
import { batch, signal } from "../lib/html.js";
import { Stream } from "../lib/stream.js";
import { RowLog } from "./rows.js";

export const EVERYTHING = "everything";
export const ENDED = ["finished", "stopped", "crashed"];
const CALM_MILLISECONDS = 200; // between two changes of what is read rather than seen
const NOT_THERE = [404, 409]; // no such run, or one that has ended: the stream says so
const MOST_MOMENTS = 512; // of rewards that are kept for each agent

/** The run that is on the page now, if any. */
export const current = { run: null };

/** Give the number of the agent whose perspective it is, or null. */
export function agentOf(perspective) {
  return perspective.startsWith("agent ") ? Number(perspective.slice(6)) : null;
}

export class WatchedRun {
  constructor(name, perspective = EVERYTHING, follow = "") {
    this.name = name;
    this.detail = signal(null); // the run: config, roles, policies
    this.drawings = signal(null);
    this.status = signal(null);
    this.phase = signal("connecting"); // connecting, live, lost, gone
    this.gone = signal(""); // why the server has no such run
    this.problem = signal(""); // what could not be done
    this.perspective = signal(perspective);
    this.follow = signal(follow);
    this.frame = signal(null); // the newest: for the picture
    this.calm = signal(null); // the same, a few times a second: for words and numbers
    this.settled = signal(0); // rises when rows or moments are new
    this.highlight = signal(null);
    this.picked = signal(null); // what was clicked in the picture
    this.selected = signal(null); // the agent that is looked at, seen from everything
    this.mine = signal([]); // agents that this page has taken over
    this.offer = signal(null); // a step of the past that somebody wants to go to
    this.forking = signal(null); // the step that the dialogue is about to fork from
    this.metrics = new RowLog();
    this.events = new RowLog();
    this.moments = []; // {step, agents} or {step, reward}: what agents earned, as seen here
    this.received = { frames: 0, bytes: 0 }; // read by benchmarks/web_frames.py
    this.calmed = 0;
    this.stream = new Stream(name, this.#handlers(), perspective);
    this.#load();
    current.run = this;
  }

  #handlers() {
    const rowsOf = (log) => (message) => {
      if (this.perspective.peek() !== EVERYTHING) return;
      log.add(message);
      this.#settle();
    };
    return {
      open: () => this.#opened(),
      lost: () => { this.phase.value = "lost"; },
      gone: (why) => batch(() => {
        this.phase.value = "gone";
        this.gone.value = why;
        this.problem.value = ""; // which said the same
      }),
      status: (message) => this.#takeStatus(message),
      frame: (message) => this.#takeFrame(message),
      metrics: rowsOf(this.metrics),
      events: rowsOf(this.events),
      error: ({ error }) => { this.problem.value = error; },
    };
  }

  async #load() {
    const path = `runs/${part(this.name)}`;
    const fetched = async (place, into) => {
      try {
        into.value = await get(place);
      } catch (error) {
        if (error.status && !NOT_THERE.includes(error.status)) this.problem.value = error.message;
      }
    };
    await Promise.all([
      this.detail.peek() ? null : fetched(path, this.detail),
      this.drawings.peek() ? null : fetched(`${path}/drawings`, this.drawings),
    ]);
  }

  #opened() {
    const again = this.phase.peek() === "lost";
    this.phase.value = "live";
    if (!again) return;
    this.#load();
    if (this.mine.peek().length > 0) this.stream.take(this.mine.peek());
  }

  #takeStatus(status) {
    const started = this.status.peek()?.status === "starting";
    this.status.value = status;
    if (started && status.status !== "starting") this.#load();
  }

  #takeFrame(frame) {
    this.received.frames += 1;
    if (frame.perspective === EVERYTHING) {
      this.#remember({ step: frame.step, agents: frame.agents });
    } else {
      this.#remember({ step: frame.step, reward: frame.reward });
    }
    this.frame.value = frame;
    this.#settle();
  }

  #remember(moment) {
    const last = this.moments.at(-1);
    if (last && last.step >= moment.step) {
      this.moments = this.moments.filter(({ step }) => step < moment.step);
    }
    this.moments.push(moment);
    if (this.moments.length > MOST_MOMENTS) this.moments.splice(0, 64);
  }

  /** Pass on what is new at once, but not more than a few times a second. */
  #settle() {
    if (this.settling) return;
    const wait = this.calmed + CALM_MILLISECONDS - performance.now();
    const settle = () => {
      this.settling = 0;
      this.calmed = performance.now();
      batch(() => {
        this.calm.value = this.frame.peek();
        this.settled.value += 1;
      });
    };
    if (wait <= 0) settle();
    else this.settling = setTimeout(settle, wait);
  }

  /** Look from another perspective; nothing of the one before is kept. */
  watch(perspective) {
    if (perspective === this.perspective.peek()) return;
    clearTimeout(this.settling);
    this.settling = 0;
    batch(() => {
      this.perspective.value = perspective;
      this.frame.value = this.calm.value = null;
      this.highlight.value = this.picked.value = this.selected.value = null;
      this.metrics.clear();
      this.events.clear();
      this.moments = [];
      this.settled.value += 1;
    });
    this.stream.watch(perspective);
    if (perspective === EVERYTHING) this.#loadRows();
  }

  /** Ask for the rows that came while an agent's perspective was watched. */
  async #loadRows() {
    for (const kind of ["metrics", "events"]) {
      const found = await get(`runs/${part(this.name)}/${kind}`).catch(() => null);
      if (found && this.perspective.peek() === EVERYTHING) this[kind].add(found);
    }
    this.#settle();
  }

  /** Steer the run: pause, resume, step, speed, seek, stop. */
  async command(name, body) {
    try {
      await post(`runs/${part(this.name)}/${name}`, body);
      this.problem.value = "";
    } catch (error) {
      this.problem.value = error.message;
    }
  }

  get isReplay() {
    return (this.detail.value?.kind ?? this.status.value?.kind) === "replay";
  }

  get isPaused() {
    const status = this.status.value;
    return status?.paused ?? status?.status === "paused";
  }

  get hasEnded() {
    return this.phase.value === "gone" || ENDED.includes(this.status.value?.status);
  }

  /** Go to a step of a replay; of a live run, offer to fork from there. */
  jump(step) {
    if (this.isReplay && !this.hasEnded) this.command("seek", { step });
    else this.offer.value = step;
  }

  toggle() {
    return this.command(this.isPaused ? "resume" : "pause");
  }

  /** Say whether a person may act for an agent here: it was taken over by this page, or by no page. */
  mayPlay(agent) {
    const { taken = [], held = [] } = this.status.value ?? {};
    return this.mine.value.includes(agent) || (taken.includes(agent) && !held.includes(agent));
  }

  /** Give the agents that a person may act for here. */
  get playable() {
    const all = new Set([...this.mine.value, ...(this.status.value?.taken ?? [])]);
    return this.hasEnded ? [] : [...all].filter((agent) => this.mayPlay(agent)).sort((a, b) => a - b);
  }

  take(agent) {
    if (!this.stream.take([agent])) return;
    this.mine.value = [...new Set([...this.mine.peek(), agent])];
    this.watch(`agent ${agent}`);
  }

  release(agent) {
    const others = (agents) => (agents ?? []).filter((other) => other !== agent);
    this.stream.release([agent]);
    const status = this.status.peek();
    batch(() => { // as the server is about to say
      this.mine.value = others(this.mine.peek());
      this.status.value = { ...status, taken: others(status.taken), held: others(status.held) };
    });
  }

  /** Say what an agent does; a paused run plays this one step. */
  async act(agent, choice, level) {
    this.problem.value = "";
    if (!this.stream.act(agent, choice, level)) {
      this.problem.value = "not connected: the action was not sent";
    } else if (this.isPaused) await this.command("step", { count: 1 });
  }

  /** Give the role of an agent. */
  roleOf(agent) {
    return this.detail.value?.roles.find(
      (role) => agent >= role.first && agent < role.first + role.num_agents,
    );
  }

  close() {
    clearTimeout(this.settling);
    this.stream.close();
    if (current.run === this) current.run = null;
  }
}
