"""Who owns land."""

from games import WALL, game, read_tokens


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
