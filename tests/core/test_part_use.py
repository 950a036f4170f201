"""Parts of an action that count only with some options of earlier ones."""

from dataclasses import replace

import numpy as np
import pytest

from mesocosm.core.action import ActionSpec, Choice, Condition, Level
from mesocosm.core.errors import SpecError

DEAL = Choice("deal", ("none", "give", "sanction"))
TARGET = Choice("target", ("left", "right"), used_with={"deal": ("give", "sanction")})
MANNER = Choice("manner", ("mild", "harsh"), used_with={"target": ("right",)})
EFFORT = Level("effort")
AMOUNT = Level("amount", used_with={"deal": ("give",)})
SPEC = ActionSpec((DEAL, TARGET, MANNER), (EFFORT, AMOUNT))


def test_used_says_which_parts_count_choices_first():
    SPEC.check("role")
    assert SPEC.used(np.array([0, 0, 0])).tolist() == [True, False, False, True, False]
    assert SPEC.used(np.array([1, 1, 0])).tolist() == [True, True, True, True, True]
    assert SPEC.used(np.array([2, 0, 1])).tolist() == [True, True, False, True, False]


def test_part_does_not_count_where_the_choice_that_decides_does_not():
    assert SPEC.used(np.array([0, 1, 1])).tolist() == [True, False, False, True, False]


def test_used_keeps_leading_axes_and_takes_numbers_that_are_no_option():
    choice = np.array([[[1, 1, 0]], [[-7, 1, 0]], [[99, 1, 0]]])
    used = SPEC.used(choice)
    assert used.shape == (3, 1, 5)
    assert used.sum(-1).tolist() == [[5], [2], [2]]


def test_all_parts_count_where_nothing_is_declared():
    plain = ActionSpec((DEAL, Choice("target", ("left", "right"))), (EFFORT,))
    assert plain.conditions == ((), (), ())
    assert plain.used(np.zeros((4, 2), int)).all()
    assert ActionSpec(levels=(EFFORT,)).used(np.zeros((4, 0), int)).tolist() == [[True]] * 4


def test_conditions_number_parts_and_options():
    assert SPEC.conditions[1] == (Condition(0, (1, 2)),)
    assert SPEC.conditions[2] == (Condition(1, (1,)),)
    assert SPEC.conditions[4] == (Condition(0, (1,)),)


def test_rows_list_with_what_a_part_counts():
    rows = {row["part"]: row["used_with"] for row in SPEC.rows()}
    assert rows["deal"] == rows["effort"] == {}
    assert rows["target"] == {"deal": ["give", "sanction"]}
    assert rows["amount"] == {"deal": ["give"]}


@pytest.mark.parametrize(
    ("used_with", "message"),
    [
        ({"dael": ("give",)}, "no choice named 'dael'. Did you mean 'deal'? Available: deal"),
        ({"target": ("left",)}, "'target' is not declared before it; only earlier choices decide"),
        ({"manner": ("mild",)}, "'manner' is not declared before it; only earlier choices decide"),
        ({"effort": ("1",)}, "'effort' is a level; only choices decide"),
        (
            {"deal": ("give", "gvie")},
            "'deal' has no option 'gvie'. Did you mean 'give'? Available: give, none, sanction",
        ),
        ({"deal": ()}, "'deal': with no option the part would never count"),
        ({"deal": "give"}, "'deal': must be a tuple of options, got 'give'"),
    ],
)
def test_unknown_later_and_empty_conditions_are_refused(used_with, message):
    spec = ActionSpec((DEAL, replace(TARGET, used_with=used_with), MANNER), (EFFORT,))
    with pytest.raises(SpecError) as caught:
        spec.check("lake.person.action")
    assert str(caught.value) == f"lake.person.action.target: used_with: {message}"


def test_level_may_name_any_choice_but_no_level():
    ActionSpec((DEAL,), (EFFORT, AMOUNT)).check("role")
    wrong = replace(AMOUNT, used_with={"effort": ("0",)})
    with pytest.raises(SpecError, match=r"role\.amount: used_with: 'effort' is a level"):
        ActionSpec((DEAL,), (EFFORT, wrong)).check("role")


def test_parts_without_mappings_still_have_a_hash():
    assert hash(EFFORT) == hash(Level("effort"))
    assert len({AMOUNT, EFFORT, Level("effort")}) == 2
