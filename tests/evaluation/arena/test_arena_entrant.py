import pytest
from arena_samples import ROGUES, make_arena

from mesocosm.build import config_spec
from mesocosm.core.errors import ConfigError, MesocosmError, RunError
from mesocosm.evaluation.arena.entrant import (
    check_same_entrants,
    describe_entrant,
    parse_entrant,
    parse_entrants,
)

SPEC = config_spec("commons/wardens")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("steady", "steady"),
        ("mine=steady", "mine"),
        ("trained/best", "trained/best"),
        ("runs/a/best.mesop", "best.mesop"),
        ("runs/a/best.mesop:greedy", "best.mesop:greedy"),
        ("a/b.py:Mine", "b.py:Mine"),
        ("program:a/b.py:Mine", "b.py:Mine"),
        ("x=program:./bot --fast", "x"),
    ],
)
def test_an_entrant_is_named_after_its_policy_unless_it_has_a_name(text, name):
    assert parse_entrant(text, SPEC).name == name


def test_two_entrants_of_one_name_are_refused():
    with pytest.raises(ConfigError, match="two are named 'steady'"):
        parse_entrants(["steady", "greedy", "steady"], SPEC)
    assert len(parse_entrants(["steady", "again=steady"], SPEC)) == 2


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "x" * 81])
def test_a_name_that_would_break_a_table_is_refused(name):
    with pytest.raises(ConfigError, match="at most 80 printable characters"):
        parse_entrants([f"{name}=steady"], SPEC)


def test_only_a_program_is_foreign():
    assert parse_entrant("program:a.py:X", SPEC).is_program
    assert not parse_entrant("a.py:X", SPEC).is_program


@pytest.mark.parametrize("text", ["nobody", "nothing.py:X", "nothing.mesop"])
def test_an_entrant_that_is_not_there_is_refused(text):
    with pytest.raises(MesocosmError) as raised:
        describe_entrant(parse_entrant(text, SPEC), SPEC)
    assert text.partition(":")[0].partition(".")[0] in str(raised.value)


def test_files_are_known_by_their_hash(tmp_path):
    file = tmp_path / "mine.py"
    file.write_bytes(ROGUES.read_bytes())
    for lead in ("", "program:"):
        entrant = parse_entrant(f"{lead}{file}:Idle", SPEC)
        before = describe_entrant(entrant, SPEC)
        check_same_entrants([before], [describe_entrant(entrant, SPEC)], "run")
        file.write_text(file.read_text() + "\n# changed\n")
        with pytest.raises(RunError, match="is not the file that played"):
            check_same_entrants([before], [describe_entrant(entrant, SPEC)], "run")


def test_a_folder_of_a_training_gives_every_role_its_bundle(tmp_path):
    (tmp_path / "t" / "policies").mkdir(parents=True)
    (tmp_path / "t" / "run.json").write_text("{}")
    for role in SPEC.roles:
        (tmp_path / "t" / "policies" / f"best-{role}.mesop").write_bytes(b"")
    entrant = parse_entrant(str(tmp_path / "t"), SPEC)
    assert entrant.name == "t"
    assert entrant.text_for("warden").endswith("best-warden.mesop")


def test_an_arena_of_nobody_plays_nothing():
    assert make_arena("commons").bouts == []
