"""Settings for every test, and the throw-away worlds, found by their entry points."""

import sys
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
    """
    worker = getattr(session.config, "workerinput", None)
    names = {item.path.name for item in session.items}
    if worker is None or ABOUT_EVERY_PRESET not in names:
        return
    import mesocosm
    from mesocosm.precompile import list_variants

    claims = session.config._tmp_path_factory.getbasetemp().parent  # of all workers
    variants = list_variants(mesocosm.presets())
    for variant in sorted(variants, key=lambda variant: not variant.layered):  # longest first
        try:
            (claims / f"compiling-{variant.code}").mkdir()
        except FileExistsError:
            continue  # another worker is at it
        mesocosm.make(variant.config, num_envs=1)
