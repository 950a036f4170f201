"""Tables of an evaluation, as Parquet files of its run folder."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.lineup import describe
from mesocosm.telemetry.manifest import Entry
from mesocosm.telemetry.tables.parquet import ParquetSink
from mesocosm.telemetry.tables.table import Batch, Column, Kind, Table, Words

Row = dict[str, Any]
Kinds = dict[str, tuple[Kind, str]]  # of each column: its kind, and what it means
BOUT: Kinds = {
    "bout": ("int64", "number of the bout"),
    "preset": ("text", "what was played"),
    "lineup": ("text", "who played which agents"),
    "episodes": ("int64", "played to their end"),
    "unfinished": ("int64", "episodes that did not end in time"),
    "forfeits": ("text", "who forfeited, and why; then no episode counts"),
}
EPISODE: Kinds = {
    "bout": ("int64", "number of the bout"),
    "preset": ("text", "what was played"),
    "env": ("int64", "number of the episode: the same in every bout is the same beginning"),
    "episode": ("int64", "number of the bout, as those of the episodes of one env"),
    "length": ("int64", "steps played"),
    "reason": ("text", "why it ended"),
    "winner": ("text", "role that won it; empty if none did"),
    "winner_entrant": ("text", "who played that role"),
    "total_return": ("float64", "sum of all agents' rewards"),
}
EPISODE_AGENTS: Kinds = {
    "bout": ("int64", "number of the bout"),
    "preset": ("text", "what was played"),
    "entrant": ("text", "who played the agent"),
    "env": ("int64", "number of the episode"),
    "episode": ("int64", "number of the bout, as those of the episodes of one env"),
    "agent": ("int64", "index of the agent among all agents"),
    "role": ("text", "role of the agent"),
    "life": ("int64", "its generation in its slot, from 0"),
    "began": ("int64", "steps of the episode played before it"),
    "length": ("int64", "steps lived"),
    "reason": ("text", "why it ended"),
    "outcome": ("text", "how that counts for the agent"),
    "total_return": ("float64", "sum of its rewards"),
}
EVENT_COUNT: Kinds = {
    "bout": ("int64", "number of the bout"),
    "preset": ("text", "what was played"),
    "entrant": ("text", "who did it; empty: nobody"),
    "kind": ("text", "what happened"),
    "count": ("int64", "in all episodes of the bout"),
}


def bout_row(bout: Bout, spec: Spec, preset: str, names: Sequence[str]) -> Row:
    """Say what a bout was."""
    return {
        "bout": bout.number,
        "preset": preset,
        "lineup": describe(spec, bout.lineup, names),
        "episodes": bout.num_episodes,
        "unfinished": len(bout.endings) - bout.num_episodes,
        "forfeits": "; ".join(f"{names[k]}: {why}" for k, why in bout.forfeits.items()),
    }


def episode_rows(bout: Bout, spec: Spec, preset: str, names: Sequence[str]) -> list[Row]:
    """List the episodes of a bout that ended."""
    returns, lives = bout.returns().sum(1), bout.lives
    length = np.zeros(len(bout.endings), np.int64)
    np.maximum.at(length, lives["env"], lives["began"] + lives["length"])
    made = []
    for episode, code in enumerate(bout.endings.tolist()):
        winner = spec.winner(code)
        first = spec.roles[winner].first if winner in spec.roles else None
        made.append(
            {
                "bout": bout.number,
                "preset": preset,
                "env": episode,
                "episode": bout.number,
                "length": int(length[episode]),
                "reason": spec.reason_name(code),
                "winner": winner,
                "winner_entrant": "" if first is None else names[bout.lineup[first]],
                "total_return": float(returns[episode]),
            }
        )
    return [row for row in made if row["reason"]]


def life_rows(bout: Bout, spec: Spec, preset: str, names: Sequence[str]) -> list[Row]:
    """List the lives of a bout."""
    columns = {name: values.tolist() for name, values in bout.lives.items()}
    roles = [spec.role_of(agent).name for agent in range(spec.num_agents)]
    made = []
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        agent = row["agent"]
        row |= {"bout": bout.number, "preset": preset, "episode": bout.number}
        row |= {"entrant": names[bout.lineup[agent]], "role": roles[agent]}
        row |= {
            "reason": spec.reason_name(row["reason"]),
            "outcome": OUTCOMES[row["outcome"]],
        }
        made.append(row)
    return made


def event_rows(bout: Bout, spec: Spec, preset: str, names: Sequence[str]) -> list[Row]:
    """Count what entrants did in a bout, by kind of event."""
    made = []
    for kind, counts in zip(spec.events, bout.events, strict=True):
        sums = {"": int(counts[-1])}
        for agent, who in enumerate(bout.lineup):
            sums[names[who]] = sums.get(names[who], 0) + int(counts[agent])
        made += [
            {"bout": bout.number, "preset": preset, "entrant": who, "kind": kind.name, "count": n}
            for who, n in sums.items()
            if n
        ]
    return made


def write_table(folder: Path, name: str, kinds: Kinds, rows: Sequence[Row]) -> dict[str, Entry]:
    """Write a table of a run; give the files of it."""
    columns = tuple(
        Column(key, kind, "evaluation", meaning, optional=kind == "float64")
        for key, (kind, meaning) in kinds.items()
    )
    sink = ParquetSink(folder)
    sink.open({name: Table(name, columns)})
    sink.write(Batch(name, 0, True, {c.name: _values(c, rows) for c in columns}))
    sink.close()
    return dict(sink.finished)


def _values(column: Column, rows: Sequence[Row]) -> Any:
    values = [row[column.name] for row in rows]
    if column.kind == "text":
        words = tuple(dict.fromkeys(values))
        codes = {word: k for k, word in enumerate(words)}
        return Words(np.array([codes[value] for value in values], np.int32), words)
    if column.kind == "float64":
        return np.array([math.nan if value is None else value for value in values], np.float64)
    return np.array(values, column.kind)
