import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from mesocosm.cli.app import COMMANDS, GROUPS
from mesocosm.core.errors import UnknownName
from mesocosm.worlds.registry import folder, names

ROOT = Path(__file__).parent.parent
WORLDS = ROOT / "mesocosm" / "worlds"
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/writing-a-world.md",
    "docs/scenes.md",
    "docs/runs.md",
    "docs/statistics.md",
    "docs/layers.md",
    "docs/evaluation.md",
    "docs/distributed.md",
    "docs/mettagrid.md",
    "docs/matches.md",
    "benchmarks/README.md",
    *(f"docs/adapters/{page.name}" for page in sorted((ROOT / "docs" / "adapters").glob("*.md"))),
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ELSEWHERE = {"docs/adapters/benchmarl.md"}  # in an environment of its own: see test_benchmarl.py


def tables(name="tables"):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_in_the_readme_runs(capsys):
    example = blocks("README.md")[0]
    assert len([line for line in example.splitlines() if line]) <= 15
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 (our own text)
    seen, terms, holds = capsys.readouterr().out.splitlines()
    assert "'stock': " in seen
    assert "'catch': " in terms
    assert holds == "True"


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@pytest.mark.parametrize(
    ("page", "number"),
    [(page, k) for page in PAGES if page not in ELSEWHERE for k in range(len(blocks(page)))],
)
def test_every_block_of_python_in_a_page_runs(page, number):
    exec(compile(blocks(page)[number], page, "exec"), {})  # noqa: S102 (our own text)


def test_the_readme_names_every_command():
    text = (ROOT / "README.md").read_text()
    commands = [function.__name__ for function, _ in COMMANDS]
    commands += [f"{group} {name}" for group, _, own in GROUPS for name, _, _ in own]
    assert [name for name in commands if f"`mesocosm {name}" not in text] == []


def test_the_readme_names_every_extra_and_no_other():
    text = (ROOT / "README.md").read_text().partition("## Install")[2].partition("## On the")[0]
    named = re.findall(r"`\[(\w+)\]`", text)
    assert sorted(named) == sorted(PROJECT["project"]["optional-dependencies"])


def test_figures_and_matrix_in_the_readme_are_current():
    text = (ROOT / "README.md").read_text()
    made = tables("readme_tables")
    assert set(made.PARTS) == {found[1] for found in made.MARKED.findall(text)}
    assert made.current(text) == text, "run tools/readme_tables.py"


def test_the_readme_is_short_enough_to_be_read():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 250


def test_contributing_names_the_packages_as_import_linter_orders_them():
    contract = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    chain = " → ".join(contract).replace("mesocosm.", "")
    assert f"`{chain}`" in " ".join((ROOT / "CONTRIBUTING.md").read_text().split())


@pytest.mark.parametrize("world", [name for name in names() if WORLDS in folder(name).parents])
def test_the_tables_in_a_worlds_readme_are_current(world):
    text = (folder(world) / "README.md").read_text()
    made = tables()
    assert made.MARKED.search(text)
    assert made.current(text, world) == text, "run tools/tables.py"


def test_the_columns_in_the_page_about_runs_are_current():
    text = (ROOT / "docs" / "runs.md").read_text()
    made = tables()
    assert made.RUNS.search(text)
    assert made.levels(text) == text, "run tools/tables.py"


def test_the_settings_in_the_page_about_learning_are_current():
    text = (ROOT / "docs" / "learning.md").read_text()
    made = tables()
    assert made.SETTINGS.search(text)
    assert made.settings(text) == text, "run tools/tables.py"


def test_a_readmes_marker_names_the_preset_whose_tables_follow_it():
    made = tables()
    text = f"a <!-- generated from probe/line: begin --> old {made.END} z"
    written = made.current(text, "probe")
    assert "| world | probe, version" in written
    assert " old " not in written
    assert written.startswith("a <!--")
    assert written.endswith("--> z")
    assert made.current(written, "probe") == written
    with pytest.raises(UnknownName, match="Did you mean 'probe/line'"):
        made.current(text.replace("line", "lin"), "probe")


def test_figures_on_the_page_about_mettagrid_are_those_that_were_measured():
    text = (ROOT / "docs" / "mettagrid.md").read_text()
    made = tables("mettagrid_page")
    assert set(made.PARTS) == {found[1] for found in made.MARKED.findall(text)}
    assert made.current(text) == text, "run tools/mettagrid_page.py"
