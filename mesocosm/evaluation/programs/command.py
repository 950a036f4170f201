"""What a text names as a program: a command line, or Python code that plays."""

import importlib.util
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mesocosm.core.errors import PolicyError, short
from mesocosm.core.path import check_text

CODE = re.compile(r"(?P<home>.+\.py):(?P<name>[^\W\d]\w*)", re.DOTALL)
MODULE = re.compile(r"(?P<home>[^\W\d][\w.]*):(?P<name>[^\W\d]\w*)")
PROGRAM = "program:"  # may stand before any of them
PLAYER = "mesocosm.evaluation.programs.player"
FORMS = "FILE.py:CLASS, MODULE:CLASS, or a command line such as './bot --fast'"
PATH = "/usr/local/bin:/usr/bin:/bin"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Command(NamedTuple):
    """How to run a program.

    Args:
        text: What names it.
        readable: The files and folders that it may read, beside the system's.
        player: What Python code to play, for our player; empty if the program speaks for itself.
    """

    text: str
    arguments: tuple[str, ...]
    readable: tuple[str, ...]
    player: str = ""
    python_path: tuple[str, ...] = ()

    def environment(self, folder: str) -> dict[str, str]:
        """Give all that the program finds in its environment."""
        made = {"PATH": PATH, "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8"}
        made |= dict.fromkeys(ONE_THREAD, "1") | {"PYTHONHASHSEED": "0"}
        made |= {"PYTHONDONTWRITEBYTECODE": "1", "MESOCOSM_CACHE_DIR": f"{folder}/cache"}
        return made | {"PYTHONPATH": os.pathsep.join(self.python_path)} if self.player else made


def is_program(text: str) -> bool:
    """Whether a text names a foreign program; else it is a policy's name or a bundle."""
    return bool(text.startswith(PROGRAM) or MODULE.fullmatch(text) or CODE.fullmatch(text)) or (
        ".mesop" not in text and not text.startswith("trained/") and bool(re.search(r"[\s/]", text))
    )


def read_command(text: str, readable: Iterable[str | Path] = ()) -> Command:
    """Say how to run the program that a text names.

    Args:
        readable: What else it may read.
    """
    check_text(text, PolicyError)
    text = text.removeprefix(PROGRAM)
    more = [str(Path(path).absolute()) for path in readable]
    code = CODE.fullmatch(text)
    if code and (Path(code["home"]).is_file() or not re.search(r"\s", text)):
        path = Path(code["home"]).absolute()
        if not path.is_file():
            raise PolicyError(f"{path}: cannot be read: no such file")
        shown = [_home(str(path)), *more]
        return _python(text, f"{path}:{code['name']}", shown, [str(path.parent)])
    module = MODULE.fullmatch(text)
    if module:
        top = module["home"].partition(".")[0]
        found = [path for path in (Path.cwd() / top, Path.cwd() / f"{top}.py") if path.exists()]
        return _python(text, text, [*map(str, found), *more], [str(Path.cwd())] if found else [])
    return _foreign(text, more)


def _python(text: str, player: str, readable: list[str], path: list[str]) -> Command:
    """Let our player play Python code; it may read Python's own folders too."""
    spec = importlib.util.find_spec("mesocosm")
    package = Path(str(spec.origin if spec else "")).parent
    python = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    shown = (*sorted(python), str(package), *readable)
    arguments = (sys.executable, "-m", PLAYER)
    return Command(text, arguments, shown, player, (str(package.parent), *path))


def _foreign(text: str, readable: list[str]) -> Command:
    """Read a command line; what names files is made absolute, and may be read."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise PolicyError(f"{short(text)}: is no command line: {error}") from None
    found = shutil.which(words[0]) if words else None
    if found is None:
        what = short(words[0] if words else text)
        raise PolicyError(f"{what} is no program that can be run; a program is {FORMS}")
    arguments = [str(Path(found).absolute())]
    shown = [_home(found)]
    for word in words[1:]:
        path = Path(word)
        there = not word.startswith("-") and path.exists()
        arguments.append(str(path.absolute()) if there else word)
        shown += [_home(word)] if there else []
    # an interpreter of a virtual environment needs its libraries
    if Path(found).resolve() == Path(sys.executable).resolve():
        shown += sorted({sys.prefix, sys.base_prefix})
    return Command(text, tuple(arguments), (*shown, *readable))


def _home(text: str) -> str:
    """Give the folder of a file, or a folder itself; of what lies where all things do, the file."""
    path = Path(text).absolute()
    shared = {Path("/"), Path("/tmp"), Path("/var/tmp"), Path.home()}  # noqa: S108
    shared |= {Path(tempfile.gettempdir())}
    return str(path if path.is_dir() or path.parent in shared else path.parent)
