// A recording that is being played again: its session, the newest frame, and where it is.
import { get, part, post } from "../lib/api.js";
import { Stream } from "../lib/stream.js";

const ENDED = ["stopped", "crashed"];

export class ReplaySession {
  /**
   * Open a recording, and follow it until `close`.
   * @param on frame(frame), status(status), ready({drawings, roles}), fault(error)
   */
  constructor(name, { env, step, perspective }, on) {
    this.name = name;
    this.env = env;
    this.step = step;
    this.perspective = perspective;
    this.on = on;
    this.closed = false;
    this.wanted = null; // the step to go to next
    this.seeking = false;
    addEventListener("pagehide", this.#leave);
    this.#open();
  }

  async #open() {
    try {
      const asked = { env: this.env, step: this.step, paused: true };
      const { id } = await post(`replays/${part(this.name)}/open`, asked);
      this.id = id;
      if (this.closed) {
        this.#stop();
        return;
      }
      this.drawn = false;
      this.stream = new Stream(id, {
        frame: (frame) => this.#show(frame),
        status: (status) => this.on.status(status),
        error: ({ error }) => this.on.fault(error),
        gone: () => !this.closed && this.#open(), // the server was started again
      }, this.perspective);
    } catch (error) {
      this.on.fault(error);
    }
  }

  #show(frame) {
    this.step = frame.step;
    this.on.frame(frame);
    if (this.drawn) return;
    this.drawn = true;
    const path = `runs/${part(this.id)}`;
    Promise.all([get(`${path}/drawings`), get(path)])
      .then(([drawings, { roles }]) => this.on.ready({ drawings, roles }))
      .catch(this.on.fault);
  }

  /** Send a command; what was refused is told. */
  async command(what, body) {
    try {
      await post(`runs/${part(this.id)}/${what}`, body);
    } catch (error) {
      this.on.fault(error);
    }
  }

  /** Go to a step; of many wishes in a row the last one counts. */
  async seek(step) {
    this.wanted = step;
    if (this.seeking || !this.id) return;
    this.seeking = true;
    while (this.wanted !== null) {
      const next = this.wanted;
      this.wanted = null;
      await this.command("seek", { step: next });
    }
    this.seeking = false;
  }

  watch(perspective) {
    this.perspective = perspective;
    this.stream?.watch(perspective);
  }

  #leave = () => { this.#stop(); };

  #stop() {
    if (this.id && !this.kept && !ENDED.includes(this.status)) {
      post(`runs/${part(this.id)}/stop`, {}, { keepalive: true }).catch(() => {});
    }
  }

  /** Leave the session to somebody else: it is not stopped. */
  keep() { this.kept = true; }

  close() {
    this.closed = true;
    removeEventListener("pagehide", this.#leave);
    this.stream?.close();
    this.#stop();
  }
}
