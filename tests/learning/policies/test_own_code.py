"""Anyone's code plays, and whatever it does wrong is one error that says where."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import PolicyError

GOOD = """
import numpy as np

class Good:
    privileged = False

    def reset(self, spec, num_envs, seed):
        self.spec, self.lead = spec, (num_envs, spec.num_agents)

    def act(self, obs, mask, info, began):
        return self.spec.action.noop(self.lead)

    def entropy(self):
        return np.zeros(self.lead)

class Spy(Good):
    privileged = True

    def act(self, obs, mask, info, began):
        assert self.truth("stock").shape[0] == self.lead[0]
        return super().act(obs, mask, info, began)

class NoAct:
    privileged = False
    def reset(self, spec, num_envs, seed): ...

class ShortAct(Good):
    def act(self, obs, mask): ...

class NeedsArguments(Good):
    def __init__(self, size): ...

class BreaksInReset(Good):
    def reset(self, spec, num_envs, seed):
        raise KeyError("weights")

class BreaksInAct(Good):
    def act(self, obs, mask, info, began):
        return self.table[obs]

class Quits(Good):
    def act(self, obs, mask, info, began):
        raise SystemExit(3)

class WrongShape(Good):
    def act(self, obs, mask, info, began):
        return meso_action(np.zeros((2, 3, 2), np.int32), np.zeros((2, 6, 2), np.float32))

class Floats(Good):
    def act(self, obs, mask, info, began):
        return meso_action(np.zeros((2, 6, 2)), np.zeros((2, 6, 2), np.float32))

class Alone(Good):
    def act(self, obs, mask, info, began):
        return np.zeros((2, 6, 2), np.int32)

class NoArray(Good):
    def act(self, obs, mask, info, began):
        return None, None

class WrongEntropy(Good):
    def entropy(self):
        return np.zeros(5)

class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class RaisesMute(Good):
    def act(self, obs, mask, info, began):
        raise Mute

class RaisesAnything(Good):
    def act(self, obs, mask, info, began):
        raise GeneratorExit("stop")

from mesocosm import Action as meso_action

READY = Good()
NUMBER = 3

def make():
    return Good()
"""


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(GOOD)
    return path


def play(policy):
    env = meso.make("commons", num_envs=2, target="python", seed=1)
    if policy.privileged:
        policy.truth = env.truth
    policy.reset(env.spec.roles["harvester"], 2, 1)
    step, beginnings = env.reset(), meso.Beginnings(env)
    for _ in range(3):
        began = beginnings.follow(step)
        step = env.step(policy.act(step.obs, step.mask, step.info, began))
    return policy


@pytest.mark.parametrize("name", ["Good", "Spy", "READY", "make"])
def test_own_code_plays(name, code):
    policy = play(meso.policy(f"{code}:{name}"))
    assert policy.privileged == (name == "Spy")
    assert np.array_equal(policy.entropy(), np.zeros((2, 6)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Goood", "no policy named 'Goood'. Did you mean 'Good'"),
        ("NUMBER", "NUMBER is no policy: it needs privileged, reset and act"),
        ("NoAct", "NoAct is no policy: it needs privileged, reset and act"),
        ("ShortAct", "act must take .obs, mask, info, began., it takes .obs, mask."),
        ("NeedsArguments", "NeedsArguments: making it raised TypeError: .*'size'"),
        ("BreaksInReset", "BreaksInReset: reset raised KeyError: 'weights' .line 35."),
        ("BreaksInAct", "BreaksInAct: act raised AttributeError: .*'table' .line 39."),
        ("Quits", "Quits: act raised SystemExit: 3"),
        ("RaisesMute", "RaisesMute: act raised Mute: without a text"),
        ("RaisesAnything", "RaisesAnything: act raised GeneratorExit: stop"),
        ("WrongShape", r"choices must be of shape \(2, 6, 2\) .env, agent, part., got \(2, 3, 2\)"),
        ("Floats", "Floats: choices must be integers, got dtype float64"),
        ("Alone", r"Alone: act must give Action\(choice=..., level=...\), got ndarray"),
        ("NoArray", "NoArray: choices must be integers, got dtype object"),
        ("WrongEntropy", r"WrongEntropy: entropy\(\) must be of shape \(2, 6\), got \(5,\)"),
    ],
)
def test_faulty_code_is_one_clear_error(name, message, code):
    with pytest.raises(PolicyError, match=message) as caught:
        play(meso.policy(f"{code}:{name}")).entropy()
    assert str(caught.value).startswith(str(code))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nonsense_of_mine", "importing it raised ModuleNotFoundError: .* .line 1."),
        ("x = 1\nclass Mine(:", "importing it raised SyntaxError: .* .line 2."),
        ("import sys\nsys.exit()", "importing it raised SystemExit: .line 2."),
    ],
)
def test_file_that_cannot_be_imported_is_one_clear_error(text, message, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(PolicyError, match=message):
        meso.policy(f"{path}:Mine")


def test_missing_file_and_missing_name_are_clear_errors(tmp_path):
    with pytest.raises(PolicyError, match="no such file"):
        meso.policy(tmp_path / "none.py:Mine")
    with pytest.raises(PolicyError, match=r"name the class in it as well, as in a\.py:MyPolicy"):
        meso.policy("a.py")


def test_code_imports_what_lies_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    (tmp_path / "lies_beside.py").write_text("from mesocosm.core.policy import NoopPolicy\n")
    path = tmp_path / "one.py"
    path.write_text("from lies_beside import NoopPolicy\nclass Mine(NoopPolicy): ...\n")
    play(meso.policy(f"{path}:Mine"))


def test_two_files_of_one_name_are_two_modules(tmp_path):
    made = []
    for folder, number in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "mine.py"
        path.write_text(GOOD + f"\nclass Own(Good):\n    number = {number}\n")
        made.append(meso.policy(f"{path}:Own").inner.number)
    assert made == [1, 2]
