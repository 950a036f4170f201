"""Where a config comes from: what it began as, and what was changed on the way."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Provenance(NamedTuple):
    """What a config was made of; no part of the config, nor of its hashes.

    Args:
        source: The preset or the file that it began as, or `config` for data.
        archetypes: The archetypes that were put on it, in order.
        overrides: What was set last, by dotted path.
        included: The archetypes that the source names itself, below its own settings.
    """

    source: str
    archetypes: tuple[str, ...] = ()
    overrides: dict[str, Any] = {}  # noqa: RUF012 (never written to)
    included: tuple[str, ...] = ()

    def extend(self, later: "Provenance") -> "Provenance":
        """Give the provenance of something made of this."""
        archetypes = self.archetypes + later.archetypes
        return Provenance(self.source, archetypes, self.overrides | later.overrides, self.included)

    @property
    def base(self) -> str:
        """The source with its archetypes, as errors name it."""
        return " + ".join((self.source, *self.archetypes))

    @property
    def text(self) -> str:
        """The whole of it, for people."""
        includes = f"{self.source} (includes {', '.join(self.included)})"
        made = " + ".join((includes if self.included else self.source, *self.archetypes))
        changed = ", ".join(f"{path}={value}" for path, value in self.overrides.items())
        return f"{made} with {changed}" if changed else made

    @property
    def is_changed(self) -> bool:
        """Whether anything was put on the source."""
        return bool(self.archetypes or self.overrides)

    def data(self) -> dict[str, Any]:
        """Give it as plain data, for files."""
        lists = {"archetypes": list(self.archetypes), "included": list(self.included)}
        return self._asdict() | lists


def provenance_of(data: Mapping[str, Any]) -> Provenance:
    """Give back what `Provenance.data` wrote; what is absent, or no such data, is empty."""
    lists = (data.get(key) for key in ("archetypes", "included"))
    archetypes, included = (tuple(map(str, x)) if isinstance(x, list) else () for x in lists)
    given = data.get("overrides")
    overrides = dict(given) if isinstance(given, Mapping) else {}
    return Provenance(str(data.get("source")), archetypes, overrides, included)
