import numpy as np
import pytest

from mesocosm.build import open_run
from mesocosm.core.errors import RunError
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.playback import choose_episodes, find_foreign, play_again
from mesocosm.resolve import resolve

EPISODES = Episodes(5, seed=2, num_envs=2)


@pytest.fixture(scope="module")
def played():
    resolved = resolve("commons", {"core.max_steps": 10})
    entrants = parse_entrants(["random", "steady"], resolved.spec)
    arena = Arena(Conditions((resolved,), EPISODES, target="python"), entrants)
    return resolved, entrants, arena.play((0, 1, 0, 1, 0, 1))


@pytest.mark.parametrize("batch", [0, 1, 2])
def test_every_batch_of_a_bout_goes_as_it_did(played, tmp_path, batch):
    resolved, entrants, bout = played
    out = tmp_path / "again"
    play_again(resolved, EPISODES, entrants, bout, batch=batch, target="python", out=out)
    run = open_run(out)
    assert run.about["seed"] == EPISODES.env_seed
    assert (run.about["first_env"], run.about["num_envs"]) == (2 * batch, 1 if batch == 2 else 2)
    assert run.verify("python").holds


def test_bout_that_goes_otherwise_is_refused(played, tmp_path):
    resolved, entrants, bout = played
    returns = bout.lives["total_return"] + np.eye(1, len(bout.lives["env"])).ravel()
    other = bout._replace(lives={**bout.lives, "total_return": returns})
    with pytest.raises(RunError, match="bout 0: does not go as it did"):
        play_again(
            resolved, EPISODES, entrants, other, batch=0, target="python", out=tmp_path / "x"
        )


def test_typical_best_and_worst_are_chosen_by_value():
    nan = float("nan")
    found = choose_episodes(np.array([5.0, nan, 1.0, 9.0, 4.0, 6.0]))
    assert [(c.title, c.episode, c.value) for c in found] == [
        ("typical", 0, 5.0),
        ("best", 3, 9.0),
        ("worst", 2, 1.0),
    ]
    assert [c.title for c in choose_episodes(np.ones(4))] == ["typical"]
    assert choose_episodes(np.array([nan])) == []


def test_code_and_programs_are_foreign(played):
    resolved, _, bout = played
    for text in ("x.py:Bot", "program:x.py:Bot", "x.py"):
        entrants = parse_entrants(["steady", f"bot={text}"], resolved.spec)
        assert find_foreign(entrants, bout) == "bot"
    assert find_foreign(parse_entrants(["steady", "a=b.mesop:greedy"], resolved.spec), bout) == ""
