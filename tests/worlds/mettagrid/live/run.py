"""Play all games of a group of `cases` in MettaGrid itself and in ours, and tell what differs.

python tests/worlds/mettagrid/live/run.py NAME [--steps 40] [--seeds 1] [--target python]
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from live.cases import GROUPS
from live.play import compare


def main() -> int:
    parser = argparse.ArgumentParser(description="compare the games of a group with MettaGrid's")
    parser.add_argument("group", choices=list(GROUPS))
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--target", default="python")
    options = parser.parse_args()
    games, bad = GROUPS[options.group](), 0
    for name, config in games.items():
        for seed in range(options.seeds):
            found = compare(config, seed=seed, steps=options.steps, target=options.target)
            if found:
                bad += 1
                print(f"{name}, seed {seed}: {found}", flush=True)
    print(f"{len(games)} games, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
