"""Speech on the grid."""

import numpy as np
import pytest
from games import game

from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.client.speech import MacroDirective, heard_by, with_talk

TALK = {"enabled": True, "cooldown_steps": 3}


def test_agents_that_see_a_speaker_hear_it_until_its_cooldown_ends():
    env = game("@.@....@", talk=TALK, obs={"width": 5, "height": 5, "num_tokens": 60})
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): {"talk": "ore here"}}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 3, 2, 0)}
    assert heard_by(step.info, 0, 2) == {}
    table = IdMap(env.config.core)
    seen = tokens.entities(tokens.decode(step.obs[0, 1], table), table, heard_by(step.info, 0, 1))
    (speaker,) = (entity for entity in seen if entity.label == "talking")
    assert speaker.attributes["talk_text"] == "ore here"
    assert speaker.attributes["talk_remaining_steps"] == 3
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): MacroDirective(talk="again")}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 2, 2, 0)}
    env.step(with_talk(np.zeros((1, 3)), {}))
    step = env.step(with_talk(np.zeros((1, 3)), {}))
    assert heard_by(step.info, 0, 1) == {}
    assert "talk" in {event["kind"] for event in env.events()}


def test_holders_of_the_broadcast_resource_hear_each_other_from_afar():
    loud = TALK | {"broadcast_resource": "ore"}
    rich = {"inventory": {"initial": {"ore": 1}}}
    window = {"width": 5, "height": 5, "num_tokens": 60}
    env = game("@......@..@", talk=loud, obs=window, agents=[rich, rich, {}])
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): "ore here"}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 3, 2, 2)}  # as if it were here
    assert heard_by(step.info, 0, 2) == {}


def test_game_with_talk_has_vibes_but_no_vibe_actions():
    env = game("@.", talk=TALK, vibes=["default", "happy"], actions={"vibes": ["happy"]})
    assert "change_vibe_happy" not in env.spec.roles["cog"].action.choices[0].options
    assert IdMap(env.config.core).vibe_names() == ["default", "happy"]


def hear(said, **talk):
    """Let an agent say bytes or a text, and return what the other hears."""
    env = game("@.@", talk={"enabled": True, "max_length": 8} | talk)
    actions = with_talk(np.zeros((1, 2)), {}, 8)
    data = said.encode() if isinstance(said, str) else bytes(said)
    actions[0, 0, 1 : 1 + len(data)] = list(data)
    return heard_by(env.step(actions).info, 0, 1)[0].text


@pytest.mark.parametrize(
    "text", ["ore", "\N{EURO SIGN}5 \u00fc", "\N{ROCKET}" * 8, "\x7f\x80\u07ff\u0800\uffff"]
)
def test_message_is_heard_character_by_character(text):
    assert hear(text) == text


def test_message_is_cut_after_its_last_character():
    assert hear("\N{ROCKET}" * 7 + "abc") == "\N{ROCKET}" * 7 + "a"


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (b"a\x80b", "a\ufffdb"),  # a continuation of nothing
        (b"\xe2\x82", "\ufffd\ufffd"),  # cut short
        (b"\xc1\xbf", "\ufffd\ufffd"),  # longer than it need be
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),  # half of a pair
        (b"\xf7\xbf\xbf\xbf", "\ufffd\ufffd\ufffd\ufffd"),  # beyond the last character
        (b"a\xe2", "a\ufffd"),
    ],
)
def test_bytes_that_are_no_text_are_heard_as_replacement_characters(said, heard):
    assert hear(said) == heard


def test_speaker_is_labelled_talking_where_agent_ids_are_global():
    env = game("@.@", talk=TALK, agent_id="spec")
    step = env.step(with_talk(np.zeros((1, 2)), {(0, 0): "hi"}))
    table = IdMap(env.config.core)
    seen = tokens.entities(tokens.decode(step.obs[0, 1], table), table, heard_by(step.info, 0, 1))
    assert [(x.row, x.col, x.attributes["talk_text"]) for x in seen if x.label == "talking"] == [
        (2, 0, "hi")
    ]


def test_without_a_cooldown_a_message_is_heard_for_one_step():
    env = game("@.@", talk={"enabled": True, "cooldown_steps": 0})
    step = env.step(with_talk(np.zeros((1, 2)), {(0, 0): "one"}))
    assert heard_by(step.info, 0, 1) == {0: ("one", 1, 2, 0)}
    step = env.step(with_talk(np.zeros((1, 2)), {(0, 0): "two"}))
    assert heard_by(step.info, 0, 1) == {0: ("two", 1, 2, 0)}
    assert heard_by(env.step(with_talk(np.zeros((1, 2)), {})).info, 0, 1) == {}
