// The curve of a training: its rows as lines of charts, and what they say of time.

/** Charts of a training: [column, title]; those of `MORE` are shown on demand. */
export const CHARTS = [
  ["mean_return", "Return of a life"],
  ["mean_length", "Steps of a life"],
  ["entropy", "Entropy of the policy, in nats"],
  ["value_loss", "Loss of the critic"],
  ["policy_loss", "Loss of the policy"],
];
export const MORE = [
  ["kl", "Divergence from the policy that played"],
  ["clipped", "Share of decisions that were clipped"],
  ["grad_norm", "Norm of the gradient"],
  ["lives", "Lives that ended"],
];
const OUTCOMES = ["success", "failure", "neutral", "timeout"];
const RECENT = 10; // updates that tell how fast it goes now

export const rolesOf = (rows) => [...new Set(rows.map((row) => row.role))];

/** Give a column of the rows of one role as a line; updates in which no life ended have none. */
export function lineOf(rows, role, column, name = role) {
  const known = rows.filter((row) => row.role === role && row[column] !== null && row[column] !== undefined);
  return { name, x: known.map((row) => row.agent_steps), y: known.map((row) => row[column]) };
}

export const linesOf = (rows, column) => rolesOf(rows).map((role) => lineOf(rows, role, column));

/** Give how lives ended, as shares; endings that never came are left out. */
export function outcomeLines(rows) {
  const roles = rolesOf(rows);
  return roles.flatMap((role) => OUTCOMES
    .filter((outcome) => rows.some((row) => row.role === role && row[outcome] > 0))
    .map((outcome) => lineOf(rows, role, outcome, roles.length > 1 ? `${role}: ${outcome}` : outcome)));
}

/** Put rows together, each update of a role once, in order. */
export function mergeRows(before, more) {
  if (more.length === 0) return before;
  const last = before.at(-1)?.update ?? 0;
  if (more.every((row) => row.update > last)) return [...before, ...more];
  const all = new Map([...before, ...more].map((row) => [`${row.update} ${row.role}`, row]));
  return [...all.values()].sort((a, b) => a.update - b.update);
}

/** Say how long each part took, how fast it is now, and how long the rest will take. */
export function timing(rows, updates) {
  const [role] = rolesOf(rows);
  const own = rows.filter((row) => row.role === role);
  const sum = (some, key) => some.reduce((total, row) => total + (row[key] ?? 0), 0);
  const parts = { env: sum(own, "env_seconds"), inference: sum(own, "inference_seconds"), learning: sum(own, "learning_seconds") };
  const recent = own.slice(-RECENT);
  const seconds = sum(recent, "env_seconds") + sum(recent, "inference_seconds") + sum(recent, "learning_seconds");
  if (own.length === 0 || seconds === 0) return null;
  const last = own.at(-1);
  const perUpdate = last.agent_steps / last.update;
  return {
    parts,
    total: parts.env + parts.inference + parts.learning,
    speed: (perUpdate * recent.length) / seconds,
    left: updates ? ((updates - last.update) * seconds) / recent.length : null,
  };
}

/** Write seconds as a person would. */
export function duration(seconds) {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}
