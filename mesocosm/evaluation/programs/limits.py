"""What a program may use."""

from dataclasses import dataclass

from mesocosm.core.errors import ConfigError, short

MOST = 2**62
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True)
class Limits:
    """How long a program may take, and how much it may use, in all its processes together.

    Args:
        start_seconds: Until it says that it is ready.
        move_seconds: From the first byte of a question to the last of the answer.
        cpu_seconds: Of each of its processes.
        memory_bytes: Of all processes, resident or swapped out, and of files in a closed room;
            also the data that one process may allocate.
        processes: In all, counted by their threads.
        open_files: Of each process.
        file_bytes: Of each file, and of all files in its folder.
        files: In its folder, and as many in shared memory; in a closed room.
        answer_bytes: Of one answer.
        said_bytes: Written to its error stream.
    """

    start_seconds: float = 60.0
    move_seconds: float = 1.0
    cpu_seconds: int = 3600
    memory_bytes: int = 2 << 30
    processes: int = 64
    open_files: int = 256
    file_bytes: int = 64 << 20
    files: int = 10_000
    answer_bytes: int = 16 << 20
    said_bytes: int = 64 << 20

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not 0 < value < MOST:
                raise ConfigError(
                    f"limits.{name}: must be above 0 and below {MOST:.2g}, got {short(value)}"
                )


def bytes_text(count: float) -> str:
    """Write a number of bytes for people."""
    power = 0
    while count >= 1024 and power < len(UNITS) - 1:
        count, power = count / 1024, power + 1
    return f"{count:.4g} {UNITS[power]}"
