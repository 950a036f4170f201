"""Settings for every test, and the throw-away world `probe`, found by its entry point."""

import sys
from pathlib import Path

from hypothesis import settings

# the way an installed package would be found
sys.path.insert(0, str(Path(__file__).parent / "entry"))
# time is measured in benchmarks, never in a test
settings.register_profile("mesocosm", deadline=None)
settings.load_profile("mesocosm")
