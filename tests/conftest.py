"""Make the throw-away world `probe` known the way an installed package would: by entry point."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "entry"))
