"""Whatever comes back is a move or a forfeit: answers made at random, in the program's place."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mesocosm.build import load_config, resolve
from mesocosm.evaluation.programs import program_policy
from mesocosm.evaluation.programs.program_policy import ProgramPolicy

CONFIG = load_config("commons")
ROLE = resolve("commons").spec.roles["harvester"]
LEAD = (1, ROLE.num_agents)
NAMES = ("kind", "number", "choice", "level", "what", "__array__", "dtype", "shape")
WORDS = ("action", "ready", "error", "int32", "float32", "float64", "object", "AAAA", "", "é\x1b")

leaves = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(WORDS) | st.text()
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner)
    ),
    max_leaves=12,
)
arrays = st.fixed_dictionaries(
    {"__array__": st.sampled_from(WORDS) | values},
    optional={"dtype": st.sampled_from(WORDS), "shape": st.lists(st.integers(), max_size=3)},
)
actions = st.fixed_dictionaries(
    {"kind": st.just("action")},
    optional=dict.fromkeys(("number", "choice", "level", "more"), values | arrays),
)


class Stand:
    """Stands in for a process: is ready, and then answers what it is told to."""

    answer = b""

    def __init__(self, command, limits, hidden):
        self._ready = False

    def ask(self, question, seconds):
        if not self._ready:
            self._ready = True
            return b'{"kind": "ready"}'
        return self.answer

    def stop(self):
        pass


@pytest.fixture(scope="module")
def policy():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_policy, "ContainedProcess", Stand)
        yield ProgramPolicy("sh -c true", CONFIG)


def check(policy, answer):
    Stand.answer = answer
    policy.reset(ROLE, 1, 0)
    seen = np.zeros(LEAD)
    chosen = policy.act(seen, seen, {}, seen)
    assert [part.dtype for part in chosen] == [np.int32, np.float32]
    assert chosen.choice.shape == (*LEAD, len(ROLE.action.choices))
    assert chosen.level.shape == (*LEAD, len(ROLE.action.levels))
    assert (policy.moves == 1) == (policy.forfeit == "")
    assert policy.forfeit.isprintable()


@settings(max_examples=150)
@given(answer=values | actions)
def test_any_json_is_a_move_or_a_forfeit(policy, answer):
    check(policy, json.dumps(answer).encode())


@settings(max_examples=100)
@given(answer=st.binary(max_size=200))
def test_any_bytes_are_a_move_or_a_forfeit(policy, answer):
    check(policy, answer)


def encode(choices, levels):
    choice = [[row] * ROLE.num_agents for row in [choices]]
    return json.dumps({"kind": "action", "choice": choice, "level": [[levels] * 6]}).encode()


int64 = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=100)
@given(choice=int64 | st.floats(), level=int64 | st.floats())
def test_any_number_is_a_move_if_it_is_of_the_right_kind(policy, choice, level):
    check(policy, encode([0, choice], [level, 0]))
    assert (policy.forfeit == "") == (isinstance(choice, int) and bool(np.isfinite(level)))


def test_whole_levels_may_be_written_as_integers(policy):
    check(policy, encode([0, 1], [1, 0]))
    assert policy.forfeit == ""
