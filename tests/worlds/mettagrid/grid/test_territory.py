"""Who owns land."""

from games import EAST, NOOP, WALL, game, play, read_tokens


def test_hub_with_tags_of_two_teams_claims_land_for_the_first():
    hub = {"tags": ["team:b", "team:a"], "controls": [{"territory": "land", "strength": 2}]}
    env = game(
        ".H.",
        ".@.",
        objects=WALL | {"hub": hub},
        agent={"tags": ["team:a"]},
        territories={"land": "team:"},
        obs={"width": 3, "height": 3, "num_tokens": 60, "territory": True},
    )
    view = read_tokens(env, env.reset(seed=0))
    assert [entry.value for entry in view if entry.feature == "territory:here"] == [1]


def test_land_follows_agents_that_swap_places():
    swap = {"on_use": {"mutations": [{"kind": "swap"}]}}
    claims = {"tags": ["team:a"], "controls": [{"territory": "land", "strength": 1}]}
    env = game(
        "@@..",
        objects=WALL,
        agents=[swap | claims, swap | {"tags": ["other"]}],
        territories={"land": "team:"},
        obs={"width": 3, "height": 3, "num_tokens": 60, "territory": True},
    )
    step = play(env, EAST, NOOP)
    assert env.truth("col").tolist() == [[1, 0]]
    here = [entry.value for entry in read_tokens(env, step) if entry.feature == "territory:here"]
    assert here == [1]
