"""What an agent receives, drawn: from that alone, and each thing linked to its numbers."""

import json
from collections import Counter

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.palette import THEMES
from mesocosm.core.scene import Bars, Cells, Glyph, Text
from mesocosm.core.view import view_numbers
from mesocosm.worlds.registry import find, names, presets

DRAWN = [name for name in names() if find(name).view is not view_numbers]
PRESETS = [f"{world}/{preset}" for world in DRAWN for preset in presets(world)]
TRIES = 25  # entries of one observation that are changed


def play(name, steps=4, overrides=None):
    """Play random valid actions, and give the env and its last step."""
    env = meso.make(name, overrides or {}, target="python", seed=5)
    step, rng = env.reset(seed=5), np.random.default_rng(0)
    for _ in range(steps):
        actions = {
            role: part.action.sample(rng, (1, part.num_agents))
            for role, part in env.spec.roles.items()
        }
        step = env.step(actions if len(actions) > 1 else next(iter(actions.values())))
    return env, step


def received(env, step, role, agent=0):
    """Give what one agent of a role received, as `World.view` takes it."""
    part = step
    if len(env.spec.roles) > 1:
        fields = ("obs", "mask", "info")
        obs, mask, info = (getattr(step, field)[role] for field in fields)
    else:
        obs, mask, info = part.obs, part.mask, part.info
    told = {key: np.array(value)[0, agent] for key, value in info.items()}
    return np.array(obs)[0, agent], np.array(mask)[0, agent], told


def views(name, **options):
    env, step = play(name, **options)
    for role, part in env.spec.roles.items():
        got = received(env, step, role)
        yield env, part, got, env.world.view(env.config.core, part, *got)


def covers(source, part, number):
    """Whether a source names an entry of a row."""
    for entry in source:
        which, _, numbers = entry.partition(":")
        if which == part:
            first, _, last = numbers.partition("-")
            if int(first) <= number <= int(last or first):
                return True
    return False


def in_place(env, made):
    """List what is drawn; of a list, wherever it is, since it may move as a whole."""
    if env.spec.world == "mettagrid":  # tokens before a line may come and go
        window = env.config.core.obs.width
        return [p._replace(x=0.0, y=0.0) if p.x > window else p for p in made.primitives]
    if env.spec.world == "island":  # it lies below the part of the map that is shown
        return [p._replace(x=0.0, y=0.0) if is_listed(p) else p for p in made.primitives]
    return made.primitives


def is_listed(p):
    """Whether something is in a list of names and numbers."""
    return (
        isinstance(p, Cells)
        or (isinstance(p, Bars) and p.label)
        or (isinstance(p, Text) and p.align == "start")
    )


def linked(p):
    return getattr(p, "source", ())


@pytest.mark.parametrize("name", PRESETS)
def test_every_role_of_every_preset_is_viewed_in_plain_data(name):
    for _, role, _, made in views(name):
        plain = json.loads(json.dumps(made.plain()))
        assert plain["items"]
        assert any(linked(p) for p in made.primitives)
        glyphs = {p.name for p in made.primitives if isinstance(p, Glyph)}
        assert glyphs <= set(made.drawings)
        for p in made.primitives:
            used = p.colours if isinstance(p, Bars | Cells) else (p.colour,)
            assert set(used) <= set(THEMES["light"])
            for entry in linked(p):
                part, _, numbers = entry.partition(":")
                sizes = {"obs": role.observation.size, "mask": role.action.mask_size}
                if part == "info":
                    assert numbers in role.info.offsets
                else:
                    assert int(numbers.partition("-")[2] or numbers.partition("-")[0]) < sizes[part]


@pytest.mark.parametrize("name", PRESETS)
def test_a_number_changes_only_what_is_linked_to_it(name):
    rng = np.random.default_rng(1)
    changed = 0
    for env, role, (obs, mask, info), made in views(name):
        before = Counter(in_place(env, made))
        used = np.flatnonzero(np.asarray(obs).reshape(-1) != role.observation.absent)
        numbers = rng.permutation(used)[:TRIES] if len(used) else []
        for number in numbers.tolist():
            other = np.array(obs)
            flat = other.reshape(-1)
            low, high = role.observation.low[number], role.observation.high[number]
            flat[number] = low if flat[number] > (low + high) / 2 else high
            seen = env.world.view(env.config.core, role, other, mask, info)
            after = Counter(in_place(env, seen))
            gone, new = before - after, after - before
            for p in gone:
                assert covers(linked(p), "obs", number), (number, p)
            spots = {(type(p), p.x, p.y) for p in gone}
            for p in new:  # what it says, or what it no longer says of a place
                known = covers(linked(p), "obs", number) or (type(p), p.x, p.y) in spots
                assert known, (number, p)
            changed += bool(gone or new)
    assert changed


@pytest.mark.parametrize("name", [f"{world}/{presets(world)[0]}" for world in DRAWN])
def test_an_allowed_option_is_linked_to_its_entry_of_the_mask(name):
    for env, role, (obs, mask, info), made in views(name):
        for number in range(min(role.action.mask_size, 10)):
            other = np.array(mask)
            other[number] = not other[number]
            after = env.world.view(env.config.core, role, obs, other, info)
            differ = set(made.primitives) ^ set(after.primitives)
            assert differ
            assert all(covers(linked(p), "mask", number) for p in differ)


@pytest.mark.parametrize("name", DRAWN)
def test_a_view_is_a_function_of_what_was_received_alone(name):
    env, step = play(name)
    role = next(iter(env.spec.roles))
    part = env.spec.roles[role]
    got = received(env, step, role)
    copies = tuple(np.array(value) if not isinstance(value, dict) else dict(value) for value in got)
    first = env.world.view(env.config.core, part, *got).plain()
    other, _ = play(name, steps=9)  # another truth
    assert other.world.view(other.config.core, part, *copies).plain() == first
    for value, copy in zip(got[:2], copies[:2], strict=True):
        assert (value == copy).all()


def hide(saved, world):
    """Change what the first agent of a world cannot see."""
    if world == "commons":
        saved["growth"][:] = 0.2
        saved["drought_at"][:] = 7
        saved["wealth"][0, 3] = 1.5
    elif world == "townlet":
        position = saved["position"][0].astype(int)
        far = int(np.argmax(np.abs(position - position[0]).sum(1)))
        saved["meters"][0, far] = 0.5
        saved["age"][0, 1:] = 3
    elif world == "island":
        unseen = int(np.flatnonzero(saved["tier"][0, 0, :30] == 0)[0])
        saved["pos"][0, 1, unseen] = (1.0, 2.0)
        saved["fuel"][0, 1] = 0.5
    else:
        saved["amount"][0, -1] = 3
        saved["stat"][0, 1:] = 7.0


@pytest.mark.parametrize(
    "name", ["commons/default", "townlet/L7", "island/standard", "mettagrid/arena24"]
)
def test_two_truths_that_an_agent_cannot_tell_apart_are_drawn_the_same(name):
    env, step = play(name, steps=0)
    role = next(iter(env.spec.roles))
    core, part, world = env.config.core, env.spec.roles[role], env.spec.world
    first = env.world.view(core, part, *received(env, step, role)).plain()
    saved = env.save()
    before = {key: np.array(saved[key]) for key in saved if key != "_meta"}
    drawn = env.world.scene(truth_of(env), core).plain()
    hide(saved, world)
    assert any((before[key] != saved[key]).any() for key in before)
    step = env.load(saved)
    assert env.world.view(core, part, *received(env, step, role)).plain() == first
    assert env.world.scene(truth_of(env), core).plain() != drawn  # people see the difference


def truth_of(env):
    wanted = [*(entry.name for entry in env.spec.truth), *env.spec.exposed]
    return {key: env.truth(key)[0] for key in wanted}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_viewed_as_plain_numbers(name):
    env, step = play(name, steps=1)
    for role, part in env.spec.roles.items():
        obs, mask, info = received(env, step, role)
        made = view_numbers(env.config.core, part, obs, mask, info)
        json.dumps(made.plain())
        shown = [p for p in made.primitives if linked(p)]
        assert shown
        if part.observation.tokens is None:  # every number is somewhere
            for number in range(0, part.observation.size, 37):
                assert any(covers(linked(p), "obs", number) for p in shown)
