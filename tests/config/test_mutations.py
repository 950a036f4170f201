"""What `config validate` says of a config is what `make` says, whatever is wrong with it."""

import json

import numpy as np
import pytest
from mutations import Mutator

import mesocosm as meso
from mesocosm.cli.app import status
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.resolve import resolve
from mesocosm.testing.play import wild_actions

PRESETS = ("commons/wardens", "townlet/L0", "townlet/L7", "mettagrid/assembly", "island/skirmish")
CASES = 60


def verdict_of_make(path):
    """Make an env of a config and play a step; give the error's text, or nothing."""
    try:
        env = meso.make(path, target="python")
    except MesocosmError as error:
        return " ".join(str(error).split())
    env.reset()
    env.step(wild_actions(env, np.random.default_rng(0)))
    return ""


def verdict_of_validate(path, capsys):
    """Ask the command; give its one line of error, or nothing."""
    accepted = status(["config", "validate", path]) == 0
    shown = capsys.readouterr()
    assert accepted == (not shown.err) == bool(shown.out)
    return shown.err.removeprefix("mesocosm: ").strip()


@pytest.mark.parametrize("preset", PRESETS)
def test_validate_and_make_agree_on_mutated_configs(preset, tmp_path, capsys):
    mutator = Mutator(preset, np.random.default_rng(14))
    path = tmp_path / "it.json"
    refused = 0
    for _ in range(CASES):
        path.write_text(json.dumps(mutator.mutate()))
        made = verdict_of_make(str(path))
        assert verdict_of_validate(str(path), capsys) == made
        assert not made or made.startswith(f"{path}: "), made
        refused += bool(made)
    assert CASES // 4 <= refused <= CASES * 9 // 10  # both verdicts were met


def test_a_blur_cannot_publish_a_private_feature():
    blurs = [{"features": "stock", "noise": 0.1}, {"features": "wea*", "scope": "public"}]
    text = (
        "commons/default: layers.information.blurs.1.scope: wealth reads the private field "
        "wealth: must be private or hidden, got 'public'"
    )
    with pytest.raises(ConfigError) as caught:
        resolve("commons", {"layers.information": {"intensity": 1.0, "blurs": blurs}})
    assert str(caught.value) == text


@pytest.mark.parametrize("scope", ["private", "hidden"])
def test_a_blur_may_keep_a_private_feature_to_its_owner(scope):
    blurs = [{"features": "wealth", "scope": scope}, {"features": "stock", "scope": "public"}]
    resolve("commons", {"layers.information": {"intensity": 1.0, "blurs": blurs}})


def test_what_a_world_refuses_of_its_core_says_where():
    tags = [f"t{k}" for k in range(300)]
    with pytest.raises(ConfigError, match=r"^mettagrid/forage: core\.tags: 30\d tags do not fit"):
        resolve("mettagrid/forage", {"core.tags": tags})


def test_a_number_that_fits_no_array_is_refused_as_one_of_the_core():
    with pytest.raises(
        ConfigError, match=r"^mettagrid/forage: core: objects\.chest\.max_uses: must be"
    ):
        resolve("mettagrid/forage", {"core.objects.chest.max_uses": 2**40})


def test_a_caste_may_hide_a_feature_that_is_empty_here():
    power = {"intensity": 1.0, "castes": {"low": {"hidden": ["window"]}}}
    power["assign"] = {"resident": ["low"]}
    env = meso.make("townlet/L0", {"layers.power": power}, target="python")
    plain = meso.make("townlet/L0", target="python")
    assert np.array_equal(env.reset().obs, plain.reset().obs)
