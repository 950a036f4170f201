// The stream of a session: messages as they come, and a new connection when one is lost.
import { PROTOCOL, address, connection, part, token } from "./api.js";

const FIRST_WAIT = 300;
const LONGEST_WAIT = 4000;
const REFUSED = 4004; // the session is not there, or the perspective is not
const decoder = new TextDecoder();

export class Stream {
  /**
   * Follow a session until `close`.
   * @param name the session
   * @param on handlers by type of message: status, frame, metrics, events, error; also
   *   `open()` after each connection, `lost()` when it broke, `gone(why)` when the server has no
   *   such session
   */
  constructor(name, on, perspective = "everything") {
    this.name = name;
    this.on = on;
    this.perspective = perspective;
    this.wait = FIRST_WAIT;
    this.closed = false;
    this.#connect();
  }

  #connect() {
    const query = { perspective: this.perspective };
    const url = new URL(address(`streams/${part(this.name)}`, query), location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, [PROTOCOL + token]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      connection.value = "ok";
      this.on.open?.();
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(typeof data === "string" ? data : decoder.decode(data));
      // a frame of the perspective that was left a moment ago
      if (message.type === "frame" && message.perspective !== this.perspective) return;
      this.on[message.type]?.(message);
    };
    socket.onclose = ({ code, reason }) => {
      if (this.closed || this.socket !== socket) return;
      if (code === REFUSED) {
        this.on.gone?.(reason);
        return;
      }
      this.on.lost?.();
      this.timer = setTimeout(() => this.#connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    };
    this.socket = socket;
  }

  /** Send a message; false when nobody is connected. */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Look from another perspective. */
  watch(perspective) {
    this.perspective = perspective;
    this.send({ type: "watch", perspective });
  }

  take(agents) { return this.send({ type: "take", agents }); }

  release(agents) { return this.send({ type: "release", agents }); }

  act(agent, choice, level = []) { return this.send({ type: "act", agent, choice, level }); }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
