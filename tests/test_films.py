"""The films of the README can be made again, and are small."""

import importlib.util
import re
from pathlib import Path

from PIL import Image

from mesocosm.worlds import registry

ROOT = Path(__file__).parent.parent


def load_films():
    spec = importlib.util.spec_from_file_location("films", ROOT / "tools" / "films.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_shows_a_small_film_of_every_shipped_world():
    films = load_films()
    shipped = {name for name in registry.names() if registry.folder(name).parent == registry.HERE}
    assert set(films.SHOTS) == shipped
    shown = re.findall(r"\(docs/pictures/(\w+)\.webp\)", (ROOT / "README.md").read_text())
    assert set(shown) == shipped
    for name in shipped:
        path = ROOT / "docs" / "pictures" / f"{name}.webp"
        assert path.stat().st_size <= films.MOST_BYTES
        with Image.open(path) as film:
            assert film.n_frames > 20


def test_tool_films_a_world_again(tmp_path, monkeypatch):
    films = load_films()
    monkeypatch.setitem(films.SHOTS, "commons", films.SHOTS["commons"]._replace(last=5, side=200))
    with Image.open(films.film("commons", tmp_path)) as film:
        assert film.n_frames > 1
