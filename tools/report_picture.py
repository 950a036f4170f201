"""Make docs/pictures/report.png: the beginning of a tournament's page, as Chromium shows it."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from mesocosm.cli.app import status

OUT = Path(__file__).parents[1] / "docs" / "pictures" / "report.png"
TOURNAMENT = "tournament commons steady greedy random noop --episodes 60 --out"
WINDOW, SHOWN_WIDTH, COLOURS = (1060, 1330), 720, 128


def main() -> int:
    """Play, write the page, and take its picture."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("report_picture: needs Chromium", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        run, shot = Path(folder) / "cup", Path(folder) / "shot.png"
        for words in ([*TOURNAMENT.split(), str(run)], ["report", str(run)]):
            if status(words):
                return 1
        page = run / "report" / "report.html"
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   f"--screenshot={shot}", f"--window-size={WINDOW[0]},{WINDOW[1]}",
                   page.as_uri()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603
        image = Image.open(shot).convert("RGB")
        height = round(image.height * SHOWN_WIDTH / image.width)
        small = image.resize((SHOWN_WIDTH, height), Image.Resampling.LANCZOS)
        small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(OUT, optimize=True)
    print(f"{OUT}: {OUT.stat().st_size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
