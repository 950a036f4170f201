// What components are written with: preact with htm for markup, hooks, and signals.
import { h, Fragment, render } from "../vendor/preact.mjs";
import htm from "../vendor/htm.mjs";

export const html = htm.bind(h);
export { Fragment, render };
export {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "../vendor/preact-hooks.mjs";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect }
  from "../vendor/signals.mjs";
