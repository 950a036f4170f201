"""Settings for every test, and the throw-away world `probe`, found by its entry point."""

import sys
from pathlib import Path

from hypothesis import settings

# the way an installed package would be found
sys.path.insert(0, str(Path(__file__).parent / "entry"))
# time is measured in benchmarks, never in a test
settings.register_profile("mesocosm", deadline=None)
settings.load_profile("mesocosm")

MANY = 1000  # tests, so that they are about every world
LAYERED = {"layers.temporal": {"intensity": 0.01, "latency": 1}}


def pytest_collection_finish(session):
    """Let the workers of a large run share out the compiling before any test begins.

    They begin with the same worlds; each but one would wait for every compilation in turn.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or len(session.items) < MANY:
        return
    import mesocosm

    claims = session.config._tmp_path_factory.getbasetemp().parent  # of all workers
    for layers in (LAYERED, {}):  # what takes longest first
        for world in mesocosm.world_names():
            try:
                (claims / f"compiling-{world}-{len(layers)}").mkdir()
            except FileExistsError:
                continue  # another worker is at it
            mesocosm.make(world, layers, num_envs=1)
