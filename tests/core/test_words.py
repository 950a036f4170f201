"""What is declared in numbers can be told in names."""

from mesocosm.core.observation import Feature, Layout, Token, Tokens
from mesocosm.core.spec import EventKind


def test_tokens_decode_by_place_and_name():
    kinds = (Token(3, "hue", labels=("red", "blue")), Token(4, "size"))
    tokens = Tokens(4, kinds, places=("here", "north"))
    layout = Layout((Feature("seen", "what I see", (4, 3), high=255),), "uint8", (4, 3), tokens)
    row = [[0, 3, 1], [0, 3, 7], [1, 4, 9], [254, 5, 2]]
    assert layout.decode(row) == {
        "seen": {"here": {"hue": ["blue", 7]}, "north": {"size": 9}, "anywhere": {"feature 5": 2}}
    }
    assert layout.decode([[255, 255, 255]] * 4) == {"seen": {}}


def test_an_event_is_told_with_the_names_of_its_target_and_value():
    kind = EventKind("use", "{actor} used {target}: {value}", ("mine", "chest"), ("no", "yes"))
    assert kind.tell(3, 1, 1.0) == "3 used chest: yes"
    assert kind.tell(3, -1, 0.5) == "3 used -1: 0.5"
    assert kind.tell(3, 7, 2.0) == "3 used 7: 2.0"
