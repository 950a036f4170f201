// The config that somebody is working on: {preset, overrides, archetypes, variants}, or null.
import { signal } from "./html.js";

export const draft = signal(null);
