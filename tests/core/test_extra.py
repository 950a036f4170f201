"""The command that installs an extra works where it is said."""

from pathlib import Path

import pytest

from mesocosm.core import extra
from mesocosm.core.errors import MissingExtra


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(extra, "_HOME", tmp_path)
    return tmp_path


def test_an_installed_package_names_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(extra, "_HOME", tmp_path)
    assert extra.install_command("runs") == "pip install 'mesocosm[runs]'"
    assert extra.install_command() == "pip install 'mesocosm'"


def test_a_checkout_is_named_by_a_dot_inside_and_by_its_path_outside(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    assert extra.install_command("runs") == "pip install -e '.[runs]'"
    monkeypatch.chdir("/")
    assert extra.install_command("runs") == f"pip install -e '{checkout}[runs]'"


def test_the_error_ends_in_the_command(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    error = extra.missing_extra("queries need DuckDB", "runs")
    assert isinstance(error, MissingExtra)
    assert str(error) == "queries need DuckDB: pip install -e '.[runs]'"


def test_every_hint_is_made_by_the_one_function():
    package = Path(extra.__file__).parents[1]
    sources = [path for path in package.rglob("*.py") if path != Path(extra.__file__)]
    assert [path.name for path in sources if "pip install" in path.read_text("utf-8")] == []
