"""Where a config comes from: what it began as, and what was changed on the way."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Provenance(NamedTuple):
    """What a config was made of; no part of the config, nor of its hashes.

    Args:
        source: The preset or the file that it began as, or `config` for data.
        archetypes: The archetypes that were put on it, in order.
        overrides: What was set last, by dotted path.
    """

    source: str
    archetypes: tuple[str, ...] = ()
    overrides: dict[str, Any] = {}  # noqa: RUF012 (never written to)

    def extend(self, later: "Provenance") -> "Provenance":
        """Give the provenance of something made of this."""
        archetypes = self.archetypes + later.archetypes
        return Provenance(self.source, archetypes, self.overrides | later.overrides)

    @property
    def base(self) -> str:
        """The source with its archetypes, as errors name it."""
        return " + ".join((self.source, *self.archetypes))

    @property
    def text(self) -> str:
        """The whole of it, for people."""
        changed = ", ".join(f"{path}={value}" for path, value in self.overrides.items())
        return f"{self.base} with {changed}" if changed else self.base

    @property
    def is_changed(self) -> bool:
        """Whether anything was put on the source."""
        return bool(self.archetypes or self.overrides)

    def data(self) -> dict[str, Any]:
        """Give it as plain data, for files."""
        return self._asdict() | {"archetypes": list(self.archetypes)}


def provenance_text(data: Mapping[str, Any]) -> str:
    """Give for people what `Provenance.data` gave for files."""
    archetypes, overrides = data.get("archetypes") or (), data.get("overrides") or {}
    return Provenance(str(data.get("source")), tuple(map(str, archetypes)), dict(overrides)).text
