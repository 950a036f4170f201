"""The front of the package: exactly these names, and no more."""

import subprocess
import sys

import pytest

import mesocosm
import mesocosm.worlds.townlet

NAMES = [
    "Action",
    "Beginnings",
    "MesocosmError",
    "__version__",
    "audit",
    "check_world",
    "config_spec",
    "load_config",
    "make",
    "open_run",
    "policy",
    "presets",
    "record",
    "world_names",
]


def test_the_public_names_are_these():
    assert mesocosm.__all__ == NAMES
    assert dir(mesocosm) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_can_be_imported(name):
    assert getattr(mesocosm, name) is not None
    exec(f"from mesocosm import {name}", {})  # noqa: S102 (a name of ours)


def test_a_name_that_is_not_public_is_no_attribute():
    with pytest.raises(AttributeError, match="module 'mesocosm' has no attribute 'wrlds'"):
        _ = mesocosm.wrlds


def test_worlds_is_the_package_of_worlds():
    assert mesocosm.worlds.__name__ == "mesocosm.worlds"
    assert mesocosm.worlds.townlet.WORLD.name == "townlet"


def test_importing_mesocosm_loads_neither_numba_nor_worlds():
    code = (
        "import sys, mesocosm; "
        "print([name for name in ('numba', 'pydantic', 'mesocosm.worlds') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
