import json
import os
import signal

import numpy as np
import pytest

import mesocosm as meso
from mesocosm import build
from mesocosm.core.policy import NoopPolicy, RandomPolicy

SMALL = "--target python --num-envs 3 --set core.max_steps=10"


def summary(cli, text):
    result = cli(f"run {text} {SMALL} --json")
    assert result.status == 0, result.err
    return json.loads(result.out)


def by_hand(steps):
    """Play the same episodes through the public API, with the env resetting itself."""
    env = meso.make("commons", {"core.max_steps": 10}, num_envs=3, target="python", seed=4)
    policy = meso.policy("commons", "random")
    policy.reset(env.spec.roles["harvester"], 3, 4)
    step, total, episodes, agent_steps = env.reset(seed=4), 0.0, 0, 0
    running, beginnings = np.zeros((3, 6)), meso.Beginnings(env)
    for _ in range(steps):
        ended = (step.terminated | step.truncated) & ~step.episode_over[:, None]
        agent_steps += int((~ended).sum())
        step = env.step(policy.act(step.obs, step.mask, step.info, beginnings.follow(step)))
        running += step.reward
        total += running[step.episode_over].sum()
        running[step.episode_over] = 0.0
        episodes += int(step.episode_over.sum())
    return total / 6 / max(episodes, 1), episodes, agent_steps


def test_run_counts_what_the_public_api_counts(cli):
    data = summary(cli, "commons --steps 25 --seed 4")
    mean, episodes, agent_steps = by_hand(25)
    assert data["episodes"] == episodes == 6
    assert data["mean_return"]["harvester"] == pytest.approx(mean)
    assert data["agent_steps"] == agent_steps < 25 * 3 * 6
    assert data["mean_length"] == 10


def test_run_says_how_episodes_and_agents_ended(cli):
    data = summary(cli, "commons --steps 10 --policy greedy --set core.initial_stock=0.2")
    assert data["endings"][0]["reason"] == "collapse"
    assert data["endings"][0]["outcome"] == "failure"
    assert data["agent_endings"]["harvester"]["collapse"] == 6 * data["episodes"]
    assert data["events"]["conflict"] > 0


def test_run_counts_no_step_of_an_agent_that_has_ended(cli):
    settings = "--set core.initial_wealth=0.8 --set core.initial_stock=1.0"
    data = summary(cli, f"commons --steps 9 --policy noop {settings}")
    assert data["endings"] == [{"reason": "no_agents", "outcome": "failure", "episodes": 12}]
    assert data["agent_steps"] == 9 * 3 * 6
    assert data["agent_endings"]["harvester"] == {"starved": 72}


class Rude(RandomPolicy):
    """Plays an option that does not exist."""

    def act(self, obs, mask, info, began):
        action = super().act(obs, mask, info, began)
        action.choice[:] = 99
        return action


def test_run_counts_invalid_actions_of_an_episodes_last_step_too(cli, monkeypatch):
    monkeypatch.setattr(build, "policy", lambda world, name: Rude())
    data = summary(cli, "commons --steps 15")
    assert data["episodes"] > 0
    assert data["invalid_actions"] == {"harvester": data["agent_steps"]}


class Unsure(RandomPolicy):
    """Says how sure it is: less so in each step."""

    steps = 0

    def act(self, obs, mask, info, began):
        self.steps += 1
        self.shape = began.shape
        return super().act(obs, mask, info, began)

    def entropy(self):
        return np.full(self.shape, self.steps / 2)


def test_run_records_the_entropy_that_a_policy_offers(cli, monkeypatch, tmp_path):
    def made(world, name):
        return Unsure() if name == "random" else NoopPolicy()

    monkeypatch.setattr(build, "policy", made)
    level = "--set instrumentation.agent.enabled=true --policy warden=noop"
    done = cli(f"run commons/wardens --steps 4 {SMALL} {level} --out {tmp_path}/run")
    assert done.status == 0, done.err
    rows = meso.open_run(tmp_path / "run").query(
        "SELECT step, role, min(entropy) AS low, max(entropy) AS high FROM agent "
        "GROUP BY step, role ORDER BY step, role"
    )
    found = [(r["step"], r["role"], r["low"], r["high"]) for r in rows.to_pylist()]
    sure = [(k, "harvester", (k + 1) / 2, (k + 1) / 2) for k in range(4)]
    assert [row for row in found if row[1] == "harvester"] == sure
    assert [row for row in found if row[1] == "warden"] == [
        (k, "warden", None, None) for k in range(4)
    ]


def test_entropy_of_another_shape_is_refused(cli, monkeypatch, tmp_path):
    class Wrong(Unsure):
        def entropy(self):
            return np.zeros(3)

    monkeypatch.setattr(build, "policy", lambda world, name: Wrong())
    done = cli(f"run commons --steps 2 {SMALL} --out {tmp_path}/run")
    assert "Wrong: entropy() must be of shape (3, 6), got (3,)" in done.err


class Startled(RandomPolicy):
    """Notes where it was told that an episode or a life begins."""

    seen: list = []  # noqa: RUF012 (shared on purpose)

    def act(self, obs, mask, info, began):
        self.seen.append(began.copy())
        return super().act(obs, mask, info, began)


def test_run_tells_policies_where_episodes_begin(cli, monkeypatch):
    monkeypatch.setattr(build, "policy", lambda world, name: Startled())
    Startled.seen.clear()
    summary(cli, "commons --steps 25")
    starts = [k for k, began in enumerate(Startled.seen) if began.all()]
    assert starts == [0, 10, 20]
    assert sum(int(began.any()) for began in Startled.seen) == 3


def test_the_mean_return_is_per_life_and_the_tables_say_the_same(cli, tmp_path):
    lives = "--set core.respawn=true --set core.hazard=4"
    settings = f"--steps 75 --num-envs 3 --target python --seed 1 {lives}"
    done = cli(f"run probe {settings} --json --out {tmp_path}/run")
    data = json.loads(done.out)
    run = meso.open_run(tmp_path / "run")
    sql = "SELECT avg(total_return) AS m, count(*) AS n FROM episode_agents WHERE episode < 2"
    (asked,) = run.query(sql).to_pylist()
    assert (data["episodes"], asked["n"] > 6 * 4) == (6, True)
    assert data["mean_return"]["walker"] == pytest.approx(asked["m"])
    shown = json.loads(cli(f"runs show {tmp_path}/run --json").out)
    (ending,) = shown["endings"]
    assert ending["mean_return"] == pytest.approx(asked["m"])
    assert sum(entry["lives"] for entry in shown["lives"]) == asked["n"]
    assert "lives of a walker: old_age (neutral)" in cli(f"runs show {tmp_path}/run").out
    compared = cli(f"runs compare {tmp_path}/run {tmp_path}/run --json")
    assert json.loads(compared.out)["runs"][0]["walker mean return"] == f"{asked['m']:.6g}"


def test_run_gives_each_role_its_policy(cli):
    data = summary(cli, "commons/wardens --steps 5 --policy steady --policy warden=noop")
    names = {role: entry["name"] for role, entry in data["policies"].items()}
    assert names == {"harvester": "steady", "warden": "noop"}


def test_run_gives_the_truth_to_a_privileged_policy_and_marks_it(cli):
    data = summary(cli, "commons --steps 5 --policy oracle")
    assert data["policies"]["harvester"] == {"name": "oracle", "privileged": True}
    text = cli(f"run commons --steps 5 --policy oracle {SMALL}").out
    assert "oracle (privileged: reads the truth)" in text


def test_run_without_a_finished_episode_has_no_mean(cli):
    data = summary(cli, "commons --steps 2")
    assert data["mean_length"] is None
    assert data["mean_return"] == {"harvester": None}
    assert "more --steps" in cli(f"run commons --steps 2 {SMALL}").out


def test_run_shows_progress_on_stderr_alone(cli):
    result = cli(f"run commons --steps 12 --policy steady {SMALL}")
    assert "12/12 steps" in result.err
    assert "12/12" not in result.out
    assert "mean return of a harvester" in result.out


def test_run_uses_the_configs_seed_unless_told(cli):
    assert summary(cli, "commons --steps 1 --set identity.seed=9")["seed"] == 9
    assert summary(cli, "commons --steps 1 --set identity.seed=9 --seed 0")["seed"] == 0


class Impatient(RandomPolicy):
    """Presses Ctrl-C at the third step."""

    steps = 0

    def act(self, obs, mask, info, began):
        self.steps += 1
        if self.steps == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return super().act(obs, mask, info, began)


def test_ctrl_c_prints_the_summary_so_far_and_exits_130(cli, monkeypatch):
    monkeypatch.setattr(build, "policy", lambda world, name: Impatient())
    before = signal.getsignal(signal.SIGINT)
    result = cli(f"run commons --steps 1000 {SMALL} --json")
    data = json.loads(result.out)
    assert result.status == 130
    assert (data["steps"], data["interrupted"]) == (3, True)
    assert signal.getsignal(signal.SIGINT) is before
