// A long list of which only the rows that can be seen are made.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";

const SPARE = 6; // rows above and below what can be seen

/**
 * Show rows of equal height.
 * @param props rows; height of one in pixels; render(row, index); shown: the index to scroll to,
 *   with `turn` rising each time; label
 */
export function LongList({ rows, height, render, shown, label }) {
  const box = useRef(null);
  const [at, setAt] = useState({ top: 0, room: 600 });
  const look = () => setAt({ top: box.current.scrollTop, room: box.current.clientHeight });
  useEffect(() => {
    const sizes = new ResizeObserver(() => box.current && look());
    sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!shown || shown.index < 0) return;
    const { scrollTop, clientHeight } = box.current;
    const top = shown.index * height;
    if (top < scrollTop || top + height > scrollTop + clientHeight) {
      box.current.scrollTop = Math.max(top - clientHeight / 3, 0);
    }
  }, [shown?.turn]);
  const first = Math.max(Math.floor(at.top / height) - SPARE, 0);
  const last = Math.min(Math.ceil((at.top + at.room) / height) + SPARE, rows.length);
  return html`<div class="long" ref=${box} onScroll=${look} tabindex="0" role="region" aria-label=${label}>
    <div role="table" aria-label=${label} aria-rowcount=${rows.length} style=${`height:${rows.length * height}px`}>
      <div class="long-rows" role="presentation" style=${`transform:translateY(${first * height}px)`}>
        ${rows.slice(first, last).map((row, k) => render(row, first + k))}
      </div>
    </div>
  </div>`;
}
