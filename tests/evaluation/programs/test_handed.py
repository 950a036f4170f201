"""What programs are handed: enough to play, and nothing that leads to what is hidden."""

import re

import numpy as np
import pytest

from mesocosm.build import load_config, make, presets
from mesocosm.core.policy import NoopPolicy
from mesocosm.evaluation.match import derive_seed, play_match
from mesocosm.evaluation.programs.contained_process import ContainedProcess
from mesocosm.evaluation.programs.handed import describe_game
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.programs.message import decode
from mesocosm.resolve import resolve

IDLE = "mesocosm.core.policy:NoopPolicy"
STEPS = 6
LIMITS = Limits(move_seconds=20.0)


def find_seeds(value, path=""):
    if isinstance(value, dict):
        for key, entry in value.items():
            if "seed" in key:
                yield f"{path}.{key}"
            yield from find_seeds(entry, f"{path}.{key}")
    elif isinstance(value, list):
        for entry in value:
            yield from find_seeds(entry, path)


@pytest.mark.parametrize("preset", presets())
def test_the_config_that_programs_get_has_no_seed_and_still_loads(preset):
    told = describe_game(load_config(preset))
    assert list(find_seeds(told)) == []
    again = resolve(told)
    assert again.spec.roles == resolve(preset).spec.roles
    assert again.config.identity.seed == 0


class Wiretap:
    """Keeps all that a match hands to its programs: command, environment, and every message."""

    def __init__(self, monkeypatch):
        self.texts, self.messages = [], []
        ask, opened = ContainedProcess.ask, ContainedProcess._open

        def listen(process, question, seconds):
            self.messages.append(decode(question))
            return ask(process, question, seconds)

        def look(process, plan):
            self.texts += [str(plan[key]) for key in ("command", "environment", "readable")]
            return opened(process, plan)

        monkeypatch.setattr(ContainedProcess, "ask", listen)
        monkeypatch.setattr(ContainedProcess, "_open", look)

    def numbers(self):
        """Give every whole number in what was handed over, arrays aside."""
        plain = [
            {k: v for k, v in m.items() if k in {"seed", "spec", "number"}} for m in self.messages
        ]
        plain += [m["config"] for m in self.messages if "config" in m]
        found = re.findall(r"\d+", " ".join([*self.texts, str(plain)]))
        return {int(text) for text in found if int(text) < 2**63}

    def guesses(self):
        """Try what was handed over as the env's seed, what could be made of it, and small ones."""
        handed = self.numbers()
        own = {m["seed"] for m in self.messages if "seed" in m}
        made = {derive_seed(word, k, j) for word in own for k in range(4) for j in range(4)}
        made |= {abs(word + k) % 2**63 for word in own for k in range(-4, 5)}
        made |= {word >> k for word in own for k in range(0, 63, 8)}
        return handed | made | set(range(50))


def rebuild(tap):
    """Give the seeds under which one's own observations would have been what they were."""
    begin, *moves = tap.messages
    role = begin["spec"]["role"]
    env = make(begin["config"], target="python", autoreset="off")
    idle = {name: NoopPolicy() for name in env.spec.roles}
    for name, policy in idle.items():
        policy.reset(env.spec.roles[name], 1, 0)
    found = []
    for seed in sorted(tap.guesses()):
        step = env.reset(seed=seed)
        for move in moves:
            mine = step.obs if len(idle) == 1 else step.obs[role]
            if not np.array_equal(np.asarray(mine), move["obs"]):
                break
            chosen = {name: policy.act(None, None, None, None) for name, policy in idle.items()}
            step = env.step(chosen if len(chosen) > 1 else chosen[role])
        else:
            found.append(seed)
    return found


def handed_to_one_program(preset, monkeypatch, seed):
    tap = Wiretap(monkeypatch)
    first, *others = resolve(preset).spec.roles
    players = {first: IDLE} | dict.fromkeys(others, "noop")
    settings = {"core.max_steps": STEPS}
    result = play_match(preset, players, settings, seed=seed, limits=LIMITS, target="python")
    assert (result.forfeits, len(tap.messages)) == ({}, STEPS + 1)
    return tap, result


@pytest.mark.parametrize("preset", ["island/skirmish", "commons"])
def test_nothing_that_is_handed_over_leads_to_the_seed(preset, monkeypatch):
    tap, result = handed_to_one_program(preset, monkeypatch, None)
    assert result.seed >= 2**40
    assert result.seed not in tap.guesses()
    assert rebuild(tap) == []


def test_a_seed_that_a_person_chose_can_be_guessed_and_so_the_attack_works(monkeypatch):
    tap, _ = handed_to_one_program("commons", monkeypatch, 37)
    assert rebuild(tap) == [37]


def test_programs_get_seeds_of_their_own_that_can_be_given_again():
    players = {"harvester[0,1,2]": "noop", "harvester[3,4,5]": "noop"}
    games = [
        play_match(
            "commons", players, {"core.max_steps": 1}, seed=seed, program_seed=own, target="python"
        ).program_seeds
        for seed, own in ((1, 5), (2, 5), (1, 6))
    ]
    assert games[0] == games[1]
    assert len({*games[0].values(), *games[2].values()}) == 4
