"""A wheel brings compiled code, which is used where it fits and nowhere else."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from mesocosm.sim.compile.shipped import lacking

ROOT = Path(__file__).parents[1]
OLDEST = 77  # of setuptools: what the development tools ask for


def run(*command, home=None, **environment):
    env = {name: text for name, text in os.environ.items() if not name.startswith("MESOCOSM")}
    env.pop("PYTHONPATH", None)
    env |= environment | ({} if home is None else {"HOME": str(home), "XDG_CACHE_HOME": ""})
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Build a wheel with code for one preset, and install it into a fresh environment."""
    if int(version("setuptools").partition(".")[0]) < OLDEST:
        pytest.skip(f"needs setuptools {OLDEST}: make install")
    if lacking():
        pytest.skip(f"this CPU lacks {', '.join(lacking())}")
    made = tmp_path_factory.mktemp("wheel")
    out, work = str(made / "dist"), str(made / "work")
    tool = str(ROOT / "tools" / "wheel.py")
    run(sys.executable, tool, "--worlds", "commons/default", "--out", out, "--work", work)
    (wheel,) = (made / "dist").iterdir()
    python = made / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", str(made / "venv"))
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet")
    run(*pip, "--disable-pip-version-check", str(wheel))
    (site,) = (made / "venv" / "lib").glob("*/site-packages")
    (site / "needed.pth").write_text(f"{Path(np.__file__).parents[1]}\n")
    return made / "venv", site / "mesocosm", wheel


def play(venv, home):
    """Play in an empty home; say whether that compiled, and what it kept."""
    home.mkdir()
    command = (str(venv / "bin" / "mesocosm"), "run", "commons", "--steps", "5", "--seed", "3")
    done = run(*command, home=home)
    kept = {path.name.partition("-")[0] for path in home.rglob("*.nbi")}
    return "compiling commons" in done.stderr, kept


def test_an_installed_wheel_compiles_nothing(installed, tmp_path):
    venv, package, wheel = installed
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-none-"
    assert tag in wheel.name
    assert not wheel.name.endswith("any.whl")
    assert play(venv, tmp_path / "home") == (False, set())
    code = f"import mesocosm; print(mesocosm.__file__ == {str(package / '__init__.py')!r})"
    assert run(str(venv / "bin" / "python"), "-c", code, home=tmp_path).stdout == "True\n"


def test_a_wheel_has_every_data_file_of_worlds_and_archetypes(installed):
    def data_files(package):
        parts = [(package / part) for part in ("core", "worlds", "layers")]
        paths = [
            path for part in parts for end in ("yaml", "json") for path in part.rglob(f"*.{end}")
        ]
        return sorted(str(path.relative_to(package)) for path in paths)

    expected = data_files(ROOT / "mesocosm")
    assert {"layers/archetypes/fog.yaml", "core/glyphs.json"} <= set(expected)
    assert data_files(installed[1]) == expected


def test_an_installed_wheel_plays_as_code_compiled_here_does(installed, tmp_path):
    code = """
import mesocosm as meso
env = meso.make("commons", num_envs=3, seed=5)
env.reset()
for _ in range(50):
    env.step(env.spec.roles["harvester"].action.noop((3, 6)))
print(sum(env.digest().values()))
"""
    python = str(installed[0] / "bin" / "python")
    shipped = run(python, "-c", code, home=tmp_path)
    compiled = run(python, "-c", code, home=tmp_path, NUMBA_CPU_NAME="x86-64-v2")
    assert shipped.stderr == ""
    assert "compiling commons" in compiled.stderr
    assert shipped.stdout == compiled.stdout


def test_a_wheel_whose_source_was_changed_compiles(installed, tmp_path):
    venv, package, _ = installed
    rules = package / "worlds" / "commons" / "rules.py"
    text = rules.read_text()
    try:
        rules.write_text("# a comment changes nothing\n" + text)
        assert play(venv, tmp_path / "a") == (False, set())
        assert "total = 0.0" in text
        rules.write_text(text.replace("total = 0.0", "total = 0.25"))
        assert play(venv, tmp_path / "b") == (True, {"commons_step.drive_bound"})
    finally:
        rules.write_text(text)
