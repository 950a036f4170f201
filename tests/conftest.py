"""Settings for every test, and the throw-away worlds, found by their entry points."""

import sys
from itertools import groupby
from pathlib import Path

from hypothesis import settings

# the way an installed package would be found
sys.path.insert(0, str(Path(__file__).parent / "entry"))
# time is measured in benchmarks, never in a test
settings.register_profile("mesocosm", deadline=None)
settings.load_profile("mesocosm")

ABOUT_EVERY_PRESET = "test_targets.py"


def pytest_collection_finish(session):
    """Let the workers of a run share out the compiling before any test begins.

    They would meet at the same worlds; each but one would wait for every compilation in turn.
    The variants of one world share most rules, and a process compiles these once.
    """
    worker = getattr(session.config, "workerinput", None)
    names = {item.path.name for item in session.items}
    if worker is None or ABOUT_EVERY_PRESET not in names:
        return
    import mesocosm
    from mesocosm.precompile import list_variants

    claims = session.config._tmp_path_factory.getbasetemp().parent  # of all workers
    found = groupby(list_variants(mesocosm.presets()), key=lambda variant: variant.world)
    variants = {world: list(own) for world, own in found}
    for world in sorted(variants, key=lambda world: -len(variants[world])):
        try:
            (claims / f"compiling-{world}").mkdir()
        except FileExistsError:
            continue  # another worker is at it
        for variant in reversed(variants[world]):  # after a layered one a plain one is almost free
            mesocosm.make(variant.resolve(), num_envs=1)
