"""What a text names as a program: a command line, or Python code that plays."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
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
PYTHON = re.compile(r"python[\d.]*")
ASK_PYTHON = "import json, sys; print(json.dumps([sys.executable, sys.prefix, sys.base_prefix]))"
ASK_SECONDS = 20.0
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Command(NamedTuple):
    """How to run a program.

    Args:
        text: What names it.
        readable: The files and folders that it may read, beside the system's.
        files: Those that its text names.
        player: What Python code to play, for our player; empty if the program speaks for itself.
    """

    text: str
    arguments: tuple[str, ...]
    readable: tuple[str, ...]
    files: tuple[str, ...] = ()
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
        made = _python(text, f"{path}:{code['name']}", shown, [str(path.parent)])
        return made._replace(files=_files([str(path), *more]))
    module = MODULE.fullmatch(text)
    if module:
        top = module["home"].partition(".")[0]
        found = [path for path in (Path.cwd() / top, Path.cwd() / f"{top}.py") if path.exists()]
        made = _python(text, text, [*map(str, found), *more], [str(Path.cwd())] if found else [])
        return made._replace(files=_files([f"{module['home'].replace('.', '/')}.py", *more]))
    return _foreign(text, more)


def _python(text: str, player: str, readable: list[str], path: list[str]) -> Command:
    """Let our player play Python code; it may read Python's own folders too."""
    spec = importlib.util.find_spec("mesocosm")
    package = Path(str(spec.origin if spec else "")).parent
    python = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    shown = (*sorted(python), str(package), *readable)
    arguments = (sys.executable, "-m", PLAYER)
    return Command(text, arguments, shown, (), player, (str(package.parent), *path))


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
    python = find_python(found) if words[0] == Path(found).name else None
    found = python.executable if python else found
    arguments = [str(Path(found).absolute())]
    shown = [_home(found), *(python.folders if python else ())]
    for word in words[1:]:
        path = Path(word)
        there = not word.startswith("-") and path.exists()
        arguments.append(str(path.absolute()) if there else word)
        shown += [_home(word)] if there else []
    # an interpreter of a virtual environment needs its libraries
    if Path(found).resolve() == Path(sys.executable).resolve():
        shown += sorted({sys.prefix, sys.base_prefix})
    named = [part for word in arguments for part in (word, word.partition("=")[2])]
    return Command(text, tuple(arguments), (*shown, *readable), _files([*named, *readable]))


def _files(paths: Iterable[str]) -> tuple[str, ...]:
    """Give those paths that are files, each once and absolute."""
    found = (Path(path) for path in paths if path)
    return tuple(dict.fromkeys(str(path.absolute()) for path in found if os.path.isfile(path)))


class Python(NamedTuple):
    """An interpreter, and the folders of its libraries."""

    executable: str
    folders: tuple[str, ...]


@cache
def find_python(found: str) -> Python | None:
    """Ask a `python3` of the user's path which one it is: it may only lead to another (pyenv)."""
    outside = not str(Path(found).resolve()).startswith(("/usr/", "/bin/"))
    if not (PYTHON.fullmatch(Path(found).name) and outside):
        return None
    try:
        asked = subprocess.run(  # noqa: S603 (what this user runs as python3)
            [found, "-I", "-c", ASK_PYTHON], capture_output=True, text=True,
            timeout=ASK_SECONDS, check=True,
        )  # fmt: skip
        executable, *folders = json.loads(asked.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return Python(executable, tuple(dict.fromkeys(folders)))


def _home(text: str) -> str:
    """Give the folder of a file, or a folder itself; of what lies where all things do, the file."""
    path = Path(text).absolute()
    shared = {Path("/"), Path("/tmp"), Path("/var/tmp"), Path.home()}  # noqa: S108
    shared |= {Path(tempfile.gettempdir())}
    return str(path if path.is_dir() or path.parent in shared else path.parent)
