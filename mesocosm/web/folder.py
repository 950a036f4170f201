"""The runs folder: the only way from a name that a client sent to a path."""

import re
from collections.abc import Iterator
from pathlib import Path

from mesocosm.core.errors import RunError, UnknownName, short
from mesocosm.telemetry.run_folder import POLICIES, RUN

SEPARATOR = "~"  # between the parts of a name, where a path has "/"
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,=+@-]{0,99}")
BUNDLE = ".mesop"
UPLOADS = "uploads"  # where bundles go that were uploaded
FILMS = "films"  # where films go that were made of recorded runs
DEPTH = 3  # folders below the runs folder in which runs are looked for
MOST_RUNS = 1000  # that are listed


class RunsFolder:
    """Finds what a name means; whatever leads elsewhere, by a link too, is refused."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.root = path.resolve()

    def path_of(self, name: str) -> Path:
        """Give the path that a name stands for, whether or not something is there."""
        parts = name.split(SEPARATOR) if isinstance(name, str) else []
        if not 1 <= len(parts) <= 2 * DEPTH or not all(map(is_part, parts)):
            raise UnknownName(
                f"no name {short(name)}: letters, digits and _ . , = + @ - are allowed"
            )
        path = self.root.joinpath(*parts)
        if path.resolve() != path:
            raise UnknownName(
                f"no name {short(name)}: it is a link, or leads out of the runs folder"
            )
        return path

    def find_run(self, name: str) -> Path:
        """Give the path of a run folder that is there."""
        path = self.path_of(name)
        if not (path / RUN).is_file() or (path / RUN).is_symlink():
            raise UnknownName(f"no run named {short(name)}")
        return path

    def find_bundle(self, name: str) -> Path:
        """Give the path of a policy bundle that is there."""
        path = self.path_of(name)
        if path.suffix != BUNDLE or not path.is_file():
            raise UnknownName(f"no bundle named {short(name)}")
        return path

    def name_of(self, path: Path) -> str:
        """Give the name of what lies in the runs folder."""
        return SEPARATOR.join(path.relative_to(self.root).parts)

    def runs(self) -> list[str]:
        """List the runs, the newest first."""
        found = [path for path in self._folders(self.root, DEPTH) if (path / RUN).is_file()]
        found.sort(key=lambda path: (-(path / RUN).stat().st_mtime, path))
        return [self.name_of(path) for path in found[:MOST_RUNS]]

    def bundles(self) -> list[str]:
        """List the policy bundles of all runs, and those that were uploaded."""
        places = [self.root / UPLOADS]
        places += [self.path_of(name) / POLICIES for name in self.runs()]
        return [name for place in places for name in self._bundles_in(place)]

    def bundles_of(self, run: str) -> list[str]:
        """List the policy bundles of one run."""
        return self._bundles_in(self.path_of(run) / POLICIES)

    def _bundles_in(self, place: Path) -> list[str]:
        found = sorted(place.glob(f"*{BUNDLE}"))
        return [self.name_of(p) for p in found if is_part(p.name) and p.resolve() == p]

    def open_films(self) -> Path:
        """Give the folder of films, made if need be; refuse one that is a link."""
        place = self.root / FILMS
        place.mkdir(exist_ok=True)
        if place.resolve() != place:
            raise RunError(f"{FILMS}: is a link; films go into the runs folder only")
        return place

    def free_name(self, stem: str, taken: set[str]) -> str:
        """Choose a name for a new run."""
        base = re.sub(r"[^A-Za-z0-9_.-]+", "-", stem).strip("-.") or "run"
        for number in range(1, 1_000_000):
            name = f"{base[:80]}-{number}"
            if name not in taken and not (self.root / name).exists():
                return name
        raise RunError(f"{stem}: no free name is left in {self.root}")

    def _folders(self, place: Path, depth: int) -> Iterator[Path]:
        for path in sorted(place.iterdir()):
            if is_part(path.name) and path.is_dir() and not path.is_symlink():
                yield path
                if depth > 1 and not (path / RUN).is_file():
                    yield from self._folders(path, depth - 1)


def is_part(text: str) -> bool:
    """Whether a text may be a part of a name."""
    return PART.fullmatch(text) is not None and ".." not in text
