// The page: where somebody is, and which area shows it. Areas are loaded when they are needed.
import { connection, token } from "./lib/api.js"; // first: takes the token out of the address
import { html, render, signal, useEffect, useRef, useState } from "./lib/html.js";
import { link, route } from "./lib/route.js";
import { switchTheme, theme } from "./lib/theme.js";
import { Fault, Guarded, Loading } from "./lib/ui.js";

const AREAS = [
  { name: "gallery", title: "Worlds", load: () => import("./gallery/index.js") },
  { name: "configure", title: "Configure", load: () => import("./configure/index.js") },
  { name: "watch", title: "Watch", load: () => import("./watch/index.js") },
  { name: "train", title: "Train", load: () => import("./train/index.js") },
  { name: "compare", title: "Compare", load: () => import("./compare/index.js") },
  { name: "replays", title: "Replays", load: () => import("./replays/index.js") },
];
const loaded = signal({}); // areas by name

function Header({ area }) {
  return html`<header class="top">
    <a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <a class="name" href=${link()}>Mesocosm</a>
    <nav aria-label="Areas">${AREAS.map(({ name, title }) => html`<a key=${name}
      href=${link(name)} aria-current=${name === area.name ? "page" : undefined}>${title}</a>`)}</nav>
    <button type="button" class="plain" onClick=${switchTheme}
      aria-label=${`Show in ${theme.value === "dark" ? "light" : "dark"}`}>${theme.value === "dark" ? "☀" : "☾"}</button>
  </header>`;
}

function skip(event) {
  event.preventDefault();
  document.querySelector("main").focus();
}

function Connection() {
  if (!token) {
    return html`<${Fault} error="This page needs the token: open the link that the server printed." />`;
  }
  if (connection.value === "refused") {
    return html`<${Fault} error="The server refused the token: open the link that it printed last." />`;
  }
  if (connection.value === "lost") {
    return html`<p class="fault" role="status">The server does not answer. Trying again …</p>`;
  }
  return null;
}

function Area({ area }) {
  const [error, setError] = useState(null);
  useEffect(() => {
    let left = false; // for another area meanwhile
    setError(null);
    area.load()
      .then((module) => { loaded.value = { ...loaded.value, [area.name]: module.default }; })
      .catch((failed) => left || setError(failed));
    return () => { left = true; };
  }, [area]);
  const Shown = loaded.value[area.name];
  if (error) return html`<${Fault} error=${error} />`;
  if (!Shown) return html`<${Loading} />`;
  const { path, query } = route.value;
  return html`<${Guarded} key=${area.name}><${Shown} path=${path.slice(1)} query=${query} /><//>`;
}

function App() {
  const [first = "gallery"] = route.value.path;
  const area = AREAS.find(({ name }) => name === first);
  const before = useRef(area);
  useEffect(() => {
    document.title = area ? `${area.title} · Mesocosm` : "Mesocosm";
    if (before.current === area) return;
    before.current = area;
    scrollTo(0, 0);
    document.querySelector("main").focus({ preventScroll: true }); // so that Tab goes on from there
  }, [area]);
  return html`<${Header} area=${area ?? {}} />
    <main id="main" tabindex="-1">
      <${Connection} />
      ${area ? html`<${Area} area=${area} />` : html`<${Fault} error=${`there is no page '${first}'`} />`}
    </main>`;
}

document.body.replaceChildren();
render(html`<${App} />`, document.body);
