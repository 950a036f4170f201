"""Replays verify, name the first difference, and lead to any moment."""

import numpy as np
import pytest
from recording import SHORT, play

import mesocosm as meso
from mesocosm.core.errors import RunError, UnknownName
from mesocosm.telemetry.replay.chunk_file import ChunkFile
from mesocosm.telemetry.replay.reader import Replay
from mesocosm.testing.play import wild_actions


def recorded(path, preset="commons/wardens", steps=30, mode="same_step", **settings):
    settings = {"num_envs": 3, "target": "python"} | settings
    env = meso.make(preset, SHORT, autoreset=mode, **settings)
    with meso.record(env, path):
        step = play(env, 0)
        for k in range(steps):
            step = env.step(wild_actions(env, np.random.default_rng((7, k)), odd=0.1))
            over = np.asarray(step.episode_over)
            if mode == "off" and over.any():
                env.reset(envs=over)
    return meso.open_run(path)


@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
@pytest.mark.parametrize("preset", ["commons/wardens", "commons/turns"])
def test_a_replay_verifies_on_every_target(preset, mode, tmp_path):
    run = recorded(tmp_path / "run", preset, mode=mode)
    for target in ("python", "cpu"):
        proof = run.verify(target)
        assert proof.holds
        assert proof.num_equal == proof.num_steps == 30


def test_verification_names_the_first_step_and_field_that_differ(tmp_path, monkeypatch):
    run = recorded(tmp_path / "run")
    env = run.make("python")
    played = type(env).step

    def tampering(self, actions):
        step = played(self, actions)
        if self.state("clock")[0] == 4 and self.episode[0] == 0:
            wealth = self.state("wealth")
            wealth[2, 1] += 1e-9
            self.set_state("wealth", wealth)
        return step

    monkeypatch.setattr(type(env), "step", tampering)
    proof = run.verify("python")
    assert not proof.holds
    assert (proof.operation, proof.num_equal, proof.fields) == ("step", 3, ("wealth",))


@pytest.mark.parametrize("mode", ["same_step", "next_step", "off"])
def test_seeking_gives_the_state_that_the_batch_had(mode, tmp_path):
    run = recorded(tmp_path / "run", mode=mode, first_env=10, steps=25)
    replay = run.replay
    for moment in (0, 1, 8, 9, 10, 17, 24, 25):
        env = run.make("python")
        env.aim(seed=replay.seed, episode=replay.episode)
        for operation in replay.operations(dict(env.spec.roles)):
            if operation.actions is not None and operation.step == moment:
                break
            if operation.actions is None:
                env.reset(seed=operation.seed, envs=operation.envs)
            else:
                env.step(operation.actions)
        visit = run.visit(env=12, step=moment, target="python")
        found = next(iter(visit))
        assert found.step == moment
        assert found.start.episode == env.episode[2]
        for name, value in visit.truth().items():
            assert value.tobytes() == env.truth(name)[2].tobytes(), name


def test_moments_run_to_the_last_state_of_the_episode(run):
    moments = list(run.visit(env=2, step=4, target="python"))
    assert moments[0].step == 4
    assert moments[-1].actions is None
    assert moments[-1].view.episode_over[0]
    assert moments[-1].step - moments[-1].start.step <= 9


def test_a_moment_that_was_not_recorded_is_refused(run):
    with pytest.raises(UnknownName, match="no step 41: must be between 0 and 40"):
        run.visit(env=0, step=41)
    with pytest.raises(UnknownName, match="no env 5: must be between 0 and 4"):
        run.visit(env=5, step=1)


def test_resets_with_seeds_and_of_some_envs_are_part_of_a_replay(tmp_path):
    env = meso.make("commons", SHORT, num_envs=4, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 5, seed=3)
        env.reset(envs=np.array([True, False, True, False]))
        play(env, 9, first=5)
        env.reset(seed=8, envs=np.array([False, False, True, True]))
        play(env, 12, first=9)
        env.reset()
        play(env, 20, first=12)
        final, starts = env.digest(), env.episode
    run = meso.open_run(tmp_path / "run")
    assert run.verify("cpu").holds
    again = run.make("python")
    with meso.record(again, tmp_path / "run", resume=True) as recorder:
        recorder.catch_up()
    assert again.digest() == final
    for e in range(4):
        visit = run.visit(env=e, step=20, target="python")
        assert next(iter(visit)).start.episode == starts[e]


def test_a_recording_begins_with_a_reset_of_every_env(tmp_path):
    env = meso.make("commons", num_envs=2, target="python")
    env.reset()
    recorder = meso.record(env, tmp_path / "run")
    with pytest.raises(RunError, match="reset"):
        env.step(wild_actions(env, np.random.default_rng(0)))
    with pytest.raises(RunError, match="every env"):
        env.reset(envs=np.array([True, False]))
    env.reset()
    env.step(wild_actions(env, np.random.default_rng(0)))
    recorder.close()
    assert meso.open_run(tmp_path / "run").verify("python").holds


def test_a_recorded_env_refuses_to_load_a_snapshot_and_is_unharmed(tmp_path):
    env = meso.make("commons", num_envs=2, target="python")
    with meso.record(env, tmp_path / "run"):
        play(env, 3)
        before, snapshot = env.digest(), env.save()
        with pytest.raises(meso.MesocosmError, match="cannot load a snapshot"):
            env.load(snapshot)
        assert env.digest() == before
        play(env, 6, first=3)
    env.load(snapshot)
    assert meso.open_run(tmp_path / "run").verify("python").holds


def test_actions_are_stored_as_given_however_strange(tmp_path):
    env = meso.make("commons", num_envs=2, target="python")
    role = env.spec.roles["harvester"]
    with meso.record(env, tmp_path / "run"):
        env.reset()
        actions = role.action.noop((2, 6))
        for value in (0, 300, -7, 2**31 - 1, -(2**31)):
            actions.choice[..., 0] = value
            actions.level[..., 0] = [np.nan, np.inf, -np.inf, 1e30, 0.5, -0.0]
            env.step(actions)
    run = meso.open_run(tmp_path / "run")
    played = [o.actions for o in run.replay.operations(dict(env.spec.roles)) if o.envs is None]
    assert [int(action.choice[0, 0, 0]) for action in played] == [0, 300, -7, 2**31 - 1, -(2**31)]
    assert played[0].level.tobytes() == actions.level.tobytes()
    assert run.verify("python").holds


def test_a_chunk_is_as_small_as_its_actions_allow(tmp_path):
    env = meso.make("townlet/L8", num_envs=256)
    policy = meso.policy("townlet", "random")
    policy.reset(env.spec.roles["resident"], 256, 0)
    beginnings = meso.Beginnings(env)
    with meso.record(env, tmp_path / "run"):
        step = env.reset(seed=1)
        for _ in range(64):
            step = env.step(policy.act(step.obs, step.mask, step.info, beginnings.follow(step)))
    run = meso.open_run(tmp_path / "run")
    assert run.folder.replay.stat().st_size / (64 * 256 * 8) < 2
    _, arrays = ChunkFile(run.folder.replay).read(run.replay.places[0])
    assert arrays["choice.resident.0"].dtype == np.uint8
    assert arrays["choice.resident.1"].dtype == np.int16


@pytest.fixture
def raw(run):
    return run.folder.replay.read_bytes()


def test_every_flipped_bit_is_found(run, raw):
    rng = np.random.default_rng(0)
    places = [*rng.integers(0, len(raw), 60).tolist(), 0, 20, 30, len(raw) - 1]
    for at in places:
        damaged = bytearray(raw)
        damaged[at] ^= 1 << int(rng.integers(8))
        run.folder.replay.write_bytes(damaged)
        with pytest.raises(RunError, match=r"chunk \d+ is damaged|no replay|truncated"):
            meso.open_run(run.folder.path).verify("python")


def test_a_cut_replay_of_a_closed_run_is_an_error_that_names_the_chunk(run, raw):
    for size in (len(raw) - 1, len(raw) - 60, len(raw) // 2, 30):
        run.folder.replay.write_bytes(raw[:size])
        with pytest.raises(RunError, match=r"chunk \d+ is missing|first chunk is missing"):
            _ = meso.open_run(run.folder.path).replay


def test_a_cut_replay_alone_gives_the_steps_before_the_cut(tmp_path):
    env = meso.make("commons", SHORT, num_envs=256)
    with meso.record(env, tmp_path / "run"):
        play(env, 300)
    path = tmp_path / "run" / "replay.meso"
    whole = Replay(path)
    assert len(whole.places) > 1
    path.write_bytes(path.read_bytes()[: whole.places[1].offset + 10])
    cut = Replay(path)
    assert not cut.whole
    assert not cut.complete
    assert cut.num_steps == whole.places[0].steps
