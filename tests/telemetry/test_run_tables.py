"""Tables hold what happened: every level agrees with what the env itself says."""

import io
import itertools
import json

import numpy as np
import pytest
from recording import SHORT, all_on, play

import mesocosm as meso
from mesocosm.core.errors import ConfigError, MissingExtra, RunError, UnknownName
from mesocosm.telemetry.tables.sinks import MemorySink, Sink, StreamSink
from mesocosm.telemetry.tables.table import TABLES
from mesocosm.testing.play import wild_actions


def watched(overrides, preset="commons/wardens", steps=40, **settings):
    sink = MemorySink()
    settings = {"num_envs": 3, "target": "python"} | settings
    env = meso.make(preset, overrides, **settings)
    with meso.record(env, sinks=[sink]):
        play(env, steps)
    return sink, env


def by_hand(mode, steps=40):
    """Count the same episodes through the public API, summing rewards step by step."""
    env = meso.make("commons/wardens", SHORT, num_envs=3, target="python", autoreset=mode)
    step, rows = env.reset(seed=0), []
    total, length, waiting = np.zeros((3, 8)), np.zeros(3, int), np.zeros(3, bool)
    for k in range(steps):
        number = env.episode
        step = env.step(wild_actions(env, np.random.default_rng((7, k)), odd=0.1))
        total += np.concatenate([step.reward["harvester"], step.reward["warden"]], axis=1)
        length += 1
        for e in np.flatnonzero(step.episode_over & ~waiting).tolist():
            reason = env.spec.reason_name(int(step.episode_reason[e]))
            rows.append((k, e, int(number[e]), int(length[e]), reason, total[e].tolist()))
        over = np.array(step.episode_over)
        fresh = over if mode == "same_step" else env.episode != number
        waiting = over & ~fresh
        total[fresh | waiting], length[fresh | waiting] = 0.0, 0
    return rows


@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
def test_the_episode_table_says_what_the_public_api_says(mode):
    sink, _ = watched(all_on() | SHORT, autoreset=mode)
    rows = [
        (r["step"], r["env"], r["episode"], r["length"], r["reason"], r["returns"])
        for r in sink.rows("episode")
    ]
    assert rows == by_hand(mode)
    for row in sink.rows("episode"):
        terms = sum(value for name, value in row.items() if name.startswith("term."))
        assert row["total_return"] == pytest.approx(sum(row["returns"]))
        assert terms == pytest.approx(row["total_return"], abs=1e-4)


def test_the_step_table_sums_what_the_agent_table_lists():
    sink, env = watched(all_on() | SHORT)
    steps = sink.rows("step")
    agents = sink.rows("agent")
    assert len(steps) == 40 * 3
    assert len(agents) == 40 * 3 * 8
    for row, k in zip(steps, range(len(steps)), strict=True):
        mine = agents[8 * k : 8 * k + 8]
        assert {(a["step"], a["env"]) for a in mine} == {(row["step"], row["env"])}
        assert row["reward"] == pytest.approx(sum(a["reward"] for a in mine))
        assert row["acting"] == sum(a["action.deal"] >= 0 or a["role"] == "warden" for a in mine)
        assert row["action.deal.give"] == sum(a["action.deal"] == 1 for a in mine)
    assert [a["role"] for a in agents[:8]] == ["harvester"] * 6 + ["warden"] * 2
    assert sum(row["violations"] for row in steps) == sum(
        row["violations"] for row in sink.rows("episode")
    ) + int(env.violations.sum())


def test_deltas_add_up_to_the_change_of_state_and_are_absent_at_a_renewal():
    sink, _ = watched(all_on() | SHORT, preset="commons", steps=9)
    rows = [row for row in sink.rows("step") if row["env"] == 1]
    for before, after in itertools.pairwise(rows):
        if after["delta.stock"] is None:
            assert after["ended"]
            continue
        change = after["state.stock"] - before["state.stock"]
        assert after["delta.stock"] == pytest.approx(change, abs=1e-4)
    assert rows[-1]["delta.stock"] is None


def test_summaries_are_means_over_the_envs():
    full, _ = watched(all_on("full") | SHORT)
    brief, _ = watched(all_on("summary") | SHORT)
    wanted = full.column("step", "reward").reshape(40, 3).mean(axis=1)
    assert brief.column("step", "reward") == pytest.approx(wanted)
    rewards = full.column("agent", "cumulative_reward").reshape(40, 3, 8).mean(axis=1)
    got = brief.column("agent", "cumulative_reward").reshape(40, 8)
    assert got == pytest.approx(rewards, abs=1e-5)
    played = full.column("agent", "action.deal").reshape(40, 3, 8)
    counts = brief.column("agent", "action.deal").reshape(40, 8, 3)
    for option in range(3):
        assert (counts[:, :, option] == (played == option).sum(axis=1)).all()


def test_the_event_table_says_what_env_events_says():
    sink, _ = watched(all_on() | SHORT)
    env = meso.make("commons/wardens", SHORT, num_envs=3, target="python")
    env.reset(seed=0)
    found = []
    for k in range(40):
        env.step(wild_actions(env, np.random.default_rng((7, k)), odd=0.1))
        rows = sorted(env.events(), key=lambda row: row["env"])
        found += [{"step": k} | row for row in rows]
    rows = sink.rows("event")
    assert len(rows) == len(found) > 50
    assert all(
        row == {key: other[key] for key in row} for row, other in zip(rows, found, strict=True)
    )


def test_frequency_verbosity_and_globs_choose_what_is_kept():
    chosen = {
        "instrumentation.step.metrics": ["term.*", "violations"],
        "instrumentation.event.metrics": ["sanction"],
    }
    sink, _ = watched(all_on("summary", every=5) | SHORT | chosen, steps=21)
    assert sink.column("step", "step").tolist() == [0, 5, 10, 15, 20]
    names = sink.tables["step"].names()
    assert [n for n in names if not n.startswith("term.")] == ["step", "violations"]
    assert set(sink.column("event", "kind")) == {"sanction"}
    assert set(sink.column("event", "step").tolist()) <= {0, 5, 10, 15, 20}
    assert "text" not in sink.tables["event"].names()
    assert (sink.column("episode", "episode") % 5 == 0).all()


def test_a_level_that_is_off_has_no_table():
    sink, _ = watched({})
    assert sorted(sink.tables) == ["episode", "episode_agents", "event"]


def test_a_glob_that_matches_nothing_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"step\.metrics: 'rewrd' matches nothing.*'reward'"):
        meso.load_config("commons", {"instrumentation.step.metrics": ["rewrd"]})
    with pytest.raises(ConfigError, match=r"event\.metrics: 'strike' matches nothing"):
        meso.load_config("commons", {"instrumentation.event.metrics": ["strike"]})


def test_entropy_is_recorded_where_a_policy_gives_it():
    sink = MemorySink()
    env = meso.make("commons", all_on(), num_envs=2, target="python")
    with meso.record(env, sinks=[sink]) as recorder:
        env.reset(seed=0)
        recorder.entropy(np.full((2, 6), 0.5))
        env.step(env.spec.roles["harvester"].action.noop((2, 6)))
        env.step(env.spec.roles["harvester"].action.noop((2, 6)))
    values = sink.column("agent", "entropy")
    assert (values[:12] == 0.5).all()
    assert np.isnan(values[12:]).all()


def test_the_stream_sink_writes_lines_of_json():
    stream = io.StringIO()
    env = meso.make("commons", all_on() | SHORT, num_envs=2, target="python")
    with meso.record(env, sinks=[StreamSink(stream)]):
        play(env, 12)
    rows = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {row["table"] for row in rows} == set(TABLES)
    assert isinstance(StreamSink(stream), Sink)


def test_every_column_in_a_file_names_its_source_and_meaning(run):
    for name in TABLES:
        for field in run.table(name).schema:
            source = field.metadata[b"source"].decode()
            assert source in ("state", "action", "transition", "reward", "termination")
            assert field.metadata[b"meaning"]


def test_two_runs_give_byte_identical_tables_and_replays(tmp_path):
    for name in ("a", "b"):
        parts = {"instrumentation.part_steps": 16}
        env = meso.make("commons/wardens", all_on() | SHORT | parts, num_envs=3, target="cpu")
        with meso.record(env, tmp_path / name):
            play(env, 40)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*"))
    assert len([path for path in files if path.suffix == ".parquet"]) == len(TABLES) * 3
    for path in files:
        if path.name != "run.json":
            assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes()


def test_tables_do_not_depend_on_the_target(tmp_path):
    for target in ("python", "cpu"):
        env = meso.make("commons/wardens", all_on() | SHORT, num_envs=3, target=target)
        with meso.record(env, tmp_path / target):
            play(env, 30)
    for path in (tmp_path / "cpu" / "tables").rglob("*.parquet"):
        other = tmp_path / "python" / path.relative_to(tmp_path / "cpu")
        assert path.read_bytes() == other.read_bytes()


def test_buffers_do_not_grow_with_the_length_of_a_run(tmp_path):
    import tracemalloc

    parts = {"instrumentation.part_steps": 512}
    env = meso.make("commons", all_on() | SHORT | parts, num_envs=64)
    actions = env.spec.roles["harvester"].action.noop((64, 6))
    with meso.record(env, tmp_path / "run"):
        env.reset(seed=0)
        tracemalloc.start()
        sizes = []
        for _ in range(3):
            for _ in range(1024):
                env.step(actions)
            sizes.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert sizes[2] - sizes[1] < 1 << 18


def test_a_query_reads_the_tables_and_nothing_else(run, tmp_path):
    rows = run.query("SELECT reason, count(*) AS n FROM episode GROUP BY reason").to_pylist()
    assert sum(row["n"] for row in rows) == run.table("episode").count_rows()
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    for sql in (
        f"FROM '{secret}'",
        f"FROM read_csv('{secret}')",
        f"COPY episode TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'x.db'}'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "SELECT * FROM nothing",
        "SELEC 1",
    ):
        with pytest.raises(RunError, match="query: "):
            run.query(sql)
    assert not (tmp_path / "out.csv").exists()


def test_a_table_that_was_not_recorded_is_refused_by_name(run):
    with pytest.raises(UnknownName, match="Did you mean 'episode'"):
        run.table("episodes")


@pytest.mark.parametrize("table", ["step", "agent"])
@pytest.mark.parametrize("sql", ["SELECT * FROM {}", "SELECT count(*) FROM episode, {}"])
def test_a_query_of_a_table_that_was_not_recorded_names_the_setting(table, sql, tmp_path):
    env = meso.make("commons", num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    run = meso.open_run(tmp_path / "run")
    words = rf"no table '{table}': it was not recorded; instrumentation.{table}.enabled=true"
    with pytest.raises(RunError, match=words):
        run.query(sql.format(table))
    with pytest.raises(RunError, match=words):
        run.table(table)
    with pytest.raises(RunError, match=r"query: .*nothing"):
        run.query("SELECT * FROM nothing")


def test_a_query_of_a_run_without_tables_names_the_setting(tmp_path):
    off = {"instrumentation.artefacts.tables": False}
    env = meso.make("commons", off, num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5)
    with pytest.raises(RunError, match=r"instrumentation.artefacts.tables=true records tables"):
        meso.open_run(tmp_path / "run").query("SELECT * FROM episode")


def test_missing_packages_are_named_with_the_extra_that_has_them(run, monkeypatch):
    import sys

    for module in ("pyarrow.parquet", "duckdb"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install .*\[runs\]"):
        run.query("SELECT 1")
    with pytest.raises(MissingExtra, match=r"pip install .*\[runs\]"):
        run.table("episode")
