import dataclasses
import importlib
import sys

import pytest
from PIL import Image

import mesocosm as meso
from mesocosm.core.palette import resolve_colour
from mesocosm.core.scene import Scene
from mesocosm.telemetry.pictures.drawing import MAX_SIDE, draw
from mesocosm.worlds.registry import find

show = importlib.import_module("mesocosm.cli.show")  # the module, not the command of its name


def by_hand(steps, env_index=0):
    """Play the same episode through the public API and write its last frame."""
    env = meso.make("commons", target="python", seed=4, first_env=env_index, autoreset="off")
    policy = meso.policy("commons", "steady")
    policy.reset(env.spec.roles["harvester"], 1, 4)
    step, beginnings = env.reset(seed=4), meso.Beginnings(env)
    for _ in range(steps):
        step = env.step(policy.act(step.obs, step.mask, step.info, beginnings.follow(step)))
    truth = {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}
    return find("commons").text(truth, env.config.core)


@pytest.mark.parametrize("index", [0, 3])
def test_show_prints_the_last_frame_of_the_env_that_was_asked_for(cli, index):
    result = cli(f"show commons --steps 7 --seed 4 --policy steady --env {index}")
    assert result.status == 0, result.err
    assert result.out == f"step 7: {by_hand(7, index)}\n"


def test_show_prints_frames_on_the_way(cli):
    result = cli("show commons --steps 7 --every 3")
    heads = [line for line in result.out.splitlines() if line.startswith("step ")]
    assert [head.split(":")[0] for head in heads] == ["step 0", "step 3", "step 6", "step 7"]


def test_show_shows_the_end_of_an_episode_before_the_next_begins(cli):
    result = cli("show commons --steps 4 --every 1 --set core.max_steps=3 --policy noop")
    clocks = [line.split(", ")[1] for line in result.out.splitlines() if line.startswith("step ")]
    assert clocks == [f"step {t} of 3" for t in (0, 1, 2, 3, 1)]


def test_show_without_steps_shows_the_beginning(cli):
    assert cli("show townlet/L5 --steps 0").out.startswith("step 0: townlet level 5, 00:00")


def test_show_works_on_every_world_that_has_text(cli):
    for name in meso.world_names():
        if find(name).text is not None:
            assert cli(f"show {name} --steps 2").status == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("show probe/line", "probe cannot be shown: its WORLD has no text"),
        ("show commons --every 0", "--every: must be at least 1, got 0"),
        ("show commons --env -1", "--env: must be at least 0, got -1"),
        ("show commons --agent 6", "--agent: must be between 0 and 5, got 6"),
        ("show commons --theme grey", "--theme: must be light or dark, got 'grey'"),
        ("show commons --policy foo", "no policy of commons named 'foo'"),
    ],
)
def test_what_cannot_be_shown_is_one_line(cli, line, words):
    result = cli(line)
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert words in result.err


def test_a_picture_without_pillow_names_the_extra(cli, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "PIL", None)
    result = cli(f"show townlet/L7 --steps 0 --png {tmp_path / 'town.png'}")
    assert result.status == 2
    assert "[pictures]'" in result.err


def test_a_picture_has_the_colours_of_the_scene(cli, tmp_path):
    result = cli(f"show townlet/L7 --steps 3 --png {tmp_path / 'town.png'}")
    assert result.status == 0, result.err
    with Image.open(tmp_path / "town.png") as made:
        colours = {f"#{r:02x}{g:02x}{b:02x}" for _, (r, g, b) in made.getcolors(1 << 20)}
        assert made.width > 8 * 90
    assert {resolve_colour(name) for name in ("paper", "ink", "moon")} <= colours


def test_a_picture_that_cannot_be_written_is_one_line(cli, tmp_path):
    result = cli(f"show townlet/L7 --steps 0 --png {tmp_path / 'no' / 'town.png'}")
    assert result.status == 2
    assert "cannot be written" in result.err


def test_a_wide_world_gets_smaller_cells_not_a_huge_picture():
    image = draw(Scene(1000.0, 10.0, (), "wide"))
    assert MAX_SIDE <= image.size[0] <= MAX_SIDE + 100
    assert image.size[1] < 100


def test_a_picture_is_refused_under_another_formats_name_before_anything_is_played(cli, tmp_path):
    result = cli(f"show townlet/L7 --steps 2 --png {tmp_path / 'town.jpg'}")
    assert (result.status, result.out) == (2, "")
    assert "--png: must end in .png, got 'town.jpg'" in result.err
    assert not list(tmp_path.iterdir())


def test_show_says_which_picture_it_wrote(cli, tmp_path):
    path = tmp_path / "town.png"
    result = cli(f"show townlet/L7 --steps 0 --png {path}")
    with Image.open(path) as image:
        said = f"{path}: a picture of {image.width} x {image.height}"
    assert result.out.splitlines()[-1] == said


def test_a_world_without_a_scene_has_no_picture(cli, monkeypatch):
    real = show.resolve_source

    def without_scene(*args):
        found = real(*args)
        return dataclasses.replace(found, world=dataclasses.replace(found.world, scene=None))

    monkeypatch.setattr(show, "resolve_source", without_scene)
    result = cli("show commons --png x.png")
    assert (result.status, result.out) == (2, "")
    assert "--png: commons cannot be drawn: its WORLD has no scene" in result.err


@pytest.mark.parametrize(
    "line", ["commons/wardens --agent 7", "townlet/L7 --agent 2", "island --agent 1"]
)
def test_a_picture_of_what_an_agent_receives_is_drawn_in_a_theme(cli, tmp_path, line):
    path = tmp_path / "view.png"
    result = cli(f"show {line} --steps 1 --theme dark --png {path}")
    assert result.status == 0, result.err
    with Image.open(path) as made:
        assert resolve_colour("paper", "dark") == "#{:02x}{:02x}{:02x}".format(
            *made.getpixel((2, made.height - 2))
        )
