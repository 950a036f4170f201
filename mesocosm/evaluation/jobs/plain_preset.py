"""A config as plain data, which any process can make the same env of."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from mesocosm.config.identity import config_hash, dump
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import RunError
from mesocosm.resolve import Resolved, resolve

KEPT = 64  # configs that a process remembers
_known: OrderedDict[str, Resolved] = OrderedDict()  # by hash and provenance


class PlainPreset(NamedTuple):
    """What a config says, what it was made of, and its hash."""

    data: Mapping[str, Any]
    provenance: Mapping[str, Any]
    config_hash: str

    def resolve(self) -> Resolved:
        """Make of it what it stands for; refuse it where that is something else."""
        found = _known.get(self._key)
        if found is None:
            found = self._resolve()
            self._remember(found)
        return found

    @property
    def _key(self) -> str:
        return f"{self.config_hash} {self.provenance}"

    def _remember(self, resolved: Resolved) -> None:
        _known[self._key] = resolved
        while len(_known) > KEPT:
            _known.popitem(last=False)

    def _resolve(self) -> Resolved:
        made = resolve(dict(self.data))
        found, identity = config_hash(made.config), made.config.identity
        if found != self.config_hash:
            raise RunError(
                f"{identity.world}/{identity.preset}: its config is {found} in this process, and "
                f"{self.config_hash} where the job comes from: every machine needs the same "
                "version of mesocosm and of its worlds"
            )
        return replace(made, provenance=provenance_of(self.provenance))


def to_plain(resolved: Resolved) -> PlainPreset:
    """Give what was resolved as plain data."""
    config = resolved.config
    made = PlainPreset(dump(config), resolved.provenance.data(), config_hash(config))
    made._remember(resolved)
    return made
