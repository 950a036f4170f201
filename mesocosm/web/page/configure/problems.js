// What the server refuses, by the field it is about.

/** Write `a[0].b` as `a.0.b`. */
const plain = (path) => path.replace(/\[(\w+)\]/g, ".$1");

/** Give problems with plain paths. */
export function readProblems(validation) {
  return (validation?.problems ?? []).map(({ path, message }) => ({ path: plain(path), message }));
}

/** Give the problems that a field shows itself: its own, and those below it that no other field has. */
export function problemsAt(problems, path, childKeys) {
  return problems.filter((problem) => {
    if (problem.path === path) return true;
    if (!problem.path.startsWith(`${path}.`)) return false;
    const rest = problem.path.slice(path.length + 1);
    return !childKeys.some((key) => rest === key || rest.startsWith(`${key}.`));
  });
}

/** Count the problems of a field and of all below it. */
export function countProblems(problems, path) {
  return problems.filter((problem) => problem.path === path || problem.path.startsWith(`${path}.`)).length;
}

/** Move the focus to the field of a path, or to the nearest above it that is there. */
export function focusField(path) {
  for (let at = path; at; at = at.includes(".") ? at.slice(0, at.lastIndexOf(".")) : "") {
    const found = document.querySelector(`[data-path="${CSS.escape(at)}"]`);
    const control = found?.querySelector("input, select, textarea, summary");
    if (control) {
      control.focus({ preventScroll: true });
      found.scrollIntoView({ block: "center" });
      return;
    }
  }
}
