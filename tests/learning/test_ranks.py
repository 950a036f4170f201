"""Processes that learn together: what they play and learn is what one would have."""

import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.learning.checkpoint import load_checkpoint, save_checkpoint
from mesocosm.learning.open_training import Plan, _warm_start, num_ranks, open_trainer
from mesocosm.learning.ranks import Ranks
from mesocosm.learning.trainer import Trainer
from mesocosm.resolve import resolve
from tests.learning.small import same_weights, small_settings, small_trainer, weights

KEPT = ("obs", "mask", "choice", "reward", "began", "valid", "acts", "boundary", "ended")


def _trainer(preset, threads, *, updates=2, earlier=(), **changes):
    settings = small_settings(num_envs=7, **changes)
    resolved = resolve(preset)
    steps = updates * settings.rows * resolved.spec.num_agents
    plan = Plan(resolved, earlier, steps=steps, seed=3, target="python", threads=threads)
    return open_trainer(plan, settings)


@pytest.fixture
def closing():
    made = []
    yield made.append
    for trainer in made:
        trainer.close()


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("commons", {"horizon": 40}),
        ("commons/wardens", {}),  # two roles
        ("commons/turns", {}),  # whose agents do not all decide
        ("townlet/L5", {"network__memory": "gru", "truth": ("meters", "hour")}),
        ("townlet/L0", {"algorithm": "q"}),
    ],
)
def test_ranks_play_and_learn_what_one_process_does(closing, preset, changes):
    (alone, _), (shared, _) = (_trainer(preset, threads, **changes) for threads in (1, 3))
    closing(shared)
    assert (alone.ranks.size, shared.ranks.size) == (1, 3)
    assert shared.env.num_envs == 2
    for number in range(2):
        mine, theirs = alone.advance(), shared.advance()
        for name, learner in alone.learners.items():
            part = shared.learners[name].experience
            for key in KEPT if number == 0 else ():  # later ones see rounding
                whole = getattr(learner.experience, key)[:, :2]
                assert torch.equal(whole, getattr(part, key)), key
            report = tuple(mine.reports[name])
            assert tuple(theirs.reports[name]) == pytest.approx(report, rel=2e-2, abs=1e-4)
            assert theirs.lives[name].num == mine.lives[name].num
    one, three = weights(alone), weights(shared)
    assert not same_weights(one, three)  # rounding tells that the work was shared
    for name, value in one.items():
        torch.testing.assert_close(value, three[name], rtol=1e-2, atol=2e-4)


def test_checkpoint_of_ranks_goes_on_bit_for_bit_and_is_the_whole_batch(closing, tmp_path):
    first, _ = _trainer("commons", 2, updates=4)
    again, _ = _trainer("commons", 2, updates=4)
    closing(first)
    closing(again)
    for _ in range(2):
        first.advance()
    save_checkpoint(tmp_path, first, {"noted": 5})
    wanted = [first.advance() for _ in range(2)]
    assert load_checkpoint(tmp_path, again) == {"noted": 5}
    made = [again.advance() for _ in range(2)]
    assert [x.reports for x in made] == [x.reports for x in wanted]
    assert same_weights(weights(first), weights(again))
    whole, _ = _trainer("commons", 1, updates=4)
    load_checkpoint(tmp_path, whole)
    assert whole.env.save()["_meta"]["num_envs"] == 7
    assert whole.advance().reports["harvester"] == pytest.approx(
        wanted[0].reports["harvester"], rel=0.02
    )


def test_ranks_begin_from_a_bundle_that_the_first_was_given(closing, monkeypatch):
    trainer, _ = _trainer("commons", 2)
    closing(trainer)

    def fill(learner, bundle):
        with torch.no_grad():
            for parameter in learner.network.parameters():
                parameter.fill_(0.01)
        return []

    monkeypatch.setattr("mesocosm.learning.open_training.warm_start", fill)
    _warm_start(trainer, {"harvester": None})
    alone, _ = _trainer("commons", 1)
    fill(alone.learners["harvester"], None)
    mine, theirs = alone.advance().reports, trainer.advance().reports
    assert theirs["harvester"] == pytest.approx(mine["harvester"], rel=1e-3, abs=1e-5)


def test_ranks_move_through_a_curriculum_together(closing):
    trainer, stages = _trainer("commons", 2, earlier=((resolve("commons"), 1.0),), updates=4)
    closing(trainer)
    trainer.advance()
    trainer.move_to(stages[1].env, 1)
    assert trainer.advance().number == 2


def test_rank_that_is_killed_is_named_and_the_others_end():
    trainer, _ = _trainer("commons", 3, updates=50)
    victim, other = trainer.ranks._others
    trainer.advance()
    os.kill(victim.pid, signal.SIGKILL)
    victim.wait()
    with pytest.raises(MesocosmError, match=r"process 1 .*ended \(-9\)"):
        trainer.advance()
    folder = trainer.ranks._folder
    trainer.close()
    assert other.poll() is not None
    assert not folder.exists()


def test_rank_that_cannot_begin_says_why(monkeypatch):
    monkeypatch.setattr("mesocosm.learning.rank_worker.dump", lambda config: {"identity": 5})
    with pytest.raises(MesocosmError, match=r"process 1 .*ended \(1\).*schema"):
        _trainer("commons", 2)


@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0])
def test_first_rank_killed_while_the_others_start_leaves_nothing(tmp_path, seconds):
    code = "from tests.learning.test_ranks import _trainer; _trainer('commons', 3, updates=50)"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    first = subprocess.Popen([sys.executable, "-c", code], env=environment)
    _wait_for(lambda: any(tmp_path.glob("mesocosm-ranks-*")))
    time.sleep(seconds)
    first.kill()
    first.wait()
    _wait_for(lambda: not any(tmp_path.glob("mesocosm-ranks-*")))


def _wait_for(holds):
    end = time.monotonic() + 90.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_full_disk_is_told_before_anything_is_trained(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", refuse)
    with pytest.raises(MesocosmError, match=r"no room for what 2 processes share.*No space"):
        _trainer("commons", 2)
    assert list(tmp_path.iterdir()) == []


def test_envs_are_shared_out_evenly_and_all_of_them():
    ranks = [Ranks(7, rank, 3) for rank in range(3)]
    assert [x.envs for x in ranks] == [slice(0, 2), slice(2, 5), slice(5, 7)]
    assert [ranks[0].count(k) for k in range(3)] == [2, 3, 2]


def test_gpu_and_league_are_trained_by_one_process():
    plan = Plan(resolve("commons"), (), steps=9, seed=0, target="cuda", threads=8)
    assert num_ranks(plan, small_settings()) == 1
    on_cpu = plan._replace(target="cpu")
    assert num_ranks(on_cpu, small_settings(num_envs=4)) == 4
    assert num_ranks(on_cpu, small_settings(league__share=0.5)) == 1
    env = small_trainer().env
    with pytest.raises(ConfigError, match="one process"):
        Trainer(env, small_settings(league__share=0.5), steps=9, seed=0, ranks=Ranks(16, 0, 2))
