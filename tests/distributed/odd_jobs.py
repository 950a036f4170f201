"""Jobs that do what jobs should not."""

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from mesocosm.core.errors import ConfigError


@dataclass(frozen=True)
class OddJob:
    """Does one of its tricks; with a note, it knows whether it has been tried before."""

    trick: str
    note: Path | None = None
    files: dict = field(default_factory=dict)
    outputs: tuple = ()
    local_needs: tuple = ()
    cores: int = 1
    target: str = "python"
    name: str = "an odd job"
    places: dict = field(default_factory=dict)

    def move(self, places):
        return OddJob(**{**vars(self), "places": dict(places)})

    def run(self, tell):
        return getattr(self, self.trick)(tell)

    def answer(self, tell):
        return os.getpid()

    def complain(self, tell):
        raise ConfigError("this is refused")

    def stumble(self, tell):
        raise ZeroDivisionError("the sky fell")

    def die(self, tell):
        os.kill(os.getpid(), signal.SIGKILL)

    def die_once(self, tell):
        if not self.note.exists():
            self.note.write_text("tried")
            os.kill(os.getpid(), signal.SIGKILL)
        return "lived"

    def wait(self, tell):
        for _ in range(600):
            time.sleep(0.05)
            tell(0.5)

    def read(self, tell):
        ((given, place),) = self.places.items()
        return given, place, Path(place).read_text()

    def write(self, tell):
        (place,) = self.places.values()
        before = Path(place).read_text() if Path(place).exists() else ""
        Path(place).write_text(before + "x")
