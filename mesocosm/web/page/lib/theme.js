// Light or dark: as the system says, unless somebody chose.
import { computed, effect, signal } from "./html.js";

const KEY = "mesocosm.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const system = signal(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => { system.value = dark.matches ? "dark" : "light"; });

/** What somebody chose: `light`, `dark`, or `` for what the system says. */
export const choice = signal(localStorage.getItem(KEY) ?? "");
/** What is shown: `light` or `dark`. */
export const theme = computed(() => choice.value || system.value);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  localStorage.setItem(KEY, choice.value);
});

/** Show the other theme. */
export function switchTheme() {
  choice.value = theme.value === "dark" ? "light" : "dark";
}
