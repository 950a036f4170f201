"""Names of policies that clients may choose, and what `load_policy` takes for them."""

from collections.abc import Mapping
from importlib.util import find_spec

from mesocosm.core.errors import UnknownName, short, unknown
from mesocosm.core.policy import GENERIC_POLICIES
from mesocosm.web.folder import RunsFolder
from mesocosm.web.models.catalogue import PolicyInfo
from mesocosm.web.settings import Settings
from mesocosm.worlds import registry

BUNDLE, GIVEN = "bundle/", "given/"  # before names of bundles in the runs folder, of the command's
GREEDY = ":greedy"
TRAINED = "trained/"


def suggest_policy(world: str, preset: str, *, trained: bool = True) -> str:
    """Name who plays a preset when nobody is chosen: trained for it, else the world's first."""
    bundle = f"{TRAINED}{preset}"
    if trained and bundle in registry.trained_files(world) and find_spec("torch") is not None:
        return bundle
    plain = tuple(GENERIC_POLICIES)
    own = (name for name in registry.find(world).policies if not name.startswith(plain))
    return next(own, plain[0])


class PolicyNames:
    """Turns names into what is loaded: no client says a path, and none names code."""

    def __init__(self, settings: Settings, folder: RunsFolder) -> None:
        self._given, self._folder = settings.policies, folder

    def list(self, world: str) -> list[PolicyInfo]:
        """List what may play a world; a bundle may turn out to be of another one."""
        kinds = {
            "scripted": sorted({**GENERIC_POLICIES, **registry.find(world).policies}),
            "trained": list(registry.trained_files(world)),
            "given": [f"{GIVEN}{name}" for name in sorted(self._given)],
            "bundle": [f"{BUNDLE}{name}" for name in self._folder.bundles()],
        }
        return [PolicyInfo(name=n, kind=kind) for kind, names in kinds.items() for n in names]

    def text_of(self, name: str, world: str) -> str:
        """Give what `load_policy` takes for a name."""
        plain = name.removesuffix(GREEDY)
        how = name[len(plain) :]
        if plain.startswith(BUNDLE):
            return f"{self._folder.find_bundle(plain.removeprefix(BUNDLE))}{how}"
        if plain.startswith(GIVEN):
            own = plain.removeprefix(GIVEN)
            if own not in self._given:
                raise unknown("policy given on the command line", own, self._given)
            return f"{self._given[own]}{how}"
        known = {**GENERIC_POLICIES, **registry.find(world).policies}
        if plain in registry.trained_files(world):
            return name
        if plain not in known or how:
            raise unknown(f"policy of {world}", name, [*known, *registry.trained_files(world)])
        return name

    def texts_of(self, names: Mapping[str, str], world: str) -> dict[str, str]:
        """Do so for all who play."""
        return {who: self.text_of(name, world) for who, name in names.items()}

    def bundle_path(self, name: str) -> str:
        """Give the path of a bundle, by its name here."""
        if not name.startswith(BUNDLE):
            raise UnknownName(f"must be a bundle, as {BUNDLE}NAME, got {short(name)}")
        return str(self._folder.find_bundle(name.removeprefix(BUNDLE)))
