"""Speech as UTF-8: its length counts characters."""

import numpy as np
import pytest

from mesocosm.core.errors import ActionError
from mesocosm.worlds.mettagrid.client.speech import MacroDirective, talk_bytes, with_talk

ROCKET = "\N{ROCKET}"  # four bytes of UTF-8


def test_message_of_140_characters_is_taken_whatever_their_bytes():
    assert not talk_bytes(None).any()
    assert talk_bytes("x" * 140).tolist() == [ord("x")] * 140 + [0] * 420
    assert bytes(talk_bytes(ROCKET * 140).tolist()).decode() == ROCKET * 140


@pytest.mark.parametrize("text", ["x" * 141, ROCKET * 141])
def test_message_over_140_characters_is_refused(text):
    with pytest.raises(
        ActionError, match=r"at most 140 characters \(core.talk.max_length\), got 141"
    ):
        talk_bytes(text)


def test_length_of_a_message_follows_the_game():
    assert with_talk(np.zeros((1, 2)), {(0, 1): "hey"}, 3).shape == (1, 2, 13)
    with pytest.raises(ActionError, match="at most 3 characters"):
        talk_bytes({"talk": "heyo"}, 3)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("a\0b", "a zero character"),
        ("a\ud800", "half a character at 1"),
        (7, "must be a text, got 7"),
    ],
)
def test_message_that_is_no_text_is_refused(said, problem):
    with pytest.raises(ActionError, match=problem):
        talk_bytes({"talk": said})


def test_text_dict_and_directive_say_the_same():
    said = talk_bytes("ore")
    assert (talk_bytes({"talk": "ore"}) == said).all()
    assert (talk_bytes(MacroDirective(talk="ore")) == said).all()
