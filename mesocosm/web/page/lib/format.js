// Times, sizes and policies as people read them.

/** Write a time as date and time of this place. */
export function when(text) {
  const time = new Date(text);
  if (!text || Number.isNaN(time.getTime())) return "–";
  return time.toLocaleString(undefined, {
    year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
  });
}

/** Write a number of bytes. */
export function bytes(count) {
  if (count < 1000) return `${count} bytes`;
  if (count < 1e6) return `${(count / 1e3).toFixed(0)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** Write a number with separators. */
export const count = (value) => value.toLocaleString("en");

/** Say who plays: the name of a policy, or its file with what the file's hash begins with. */
export function policy(entry) {
  if (typeof entry !== "object" || entry === null) return String(entry);
  const file = entry.path ? String(entry.path).split(/[\\/]/).at(-1) : null;
  const hash = entry.sha256 ? ` (sha256 ${String(entry.sha256).slice(0, 12)})` : "";
  return `${entry.name ?? file ?? entry.kind ?? "unknown"}${hash}${entry.greedy ? ", greedy" : ""}`;
}
