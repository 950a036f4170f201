"""Policies that are anyone's Python: found in a file, and guarded while they play."""

import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mesocosm.core.errors import MesocosmError, PolicyError, hint
from mesocosm.core.policy import Policy, check_policy
from mesocosm.core.spec import Role
from mesocosm.learning.policies.answer import read_answer


def load_own_policy(path: Path, name: str) -> "GuardedPolicy":
    """Make the policy `name` of a Python file: a class, a function that makes it, or an object."""
    who = f"{path}:{name}"
    module = _import_file(path)
    if not hasattr(module, name):
        known = [key for key, value in vars(module).items() if inspect.isclass(value)]
        raise PolicyError(f"{path}: no policy named {name!r}.{hint(name, known)}")
    found = getattr(module, name)
    if not inspect.isclass(found) and hasattr(found, "act"):
        made = found
    elif callable(found):
        with _blaming(who, "making it", path):
            made = found()
    else:
        made = found
    with _blaming(who, "asking what it is", path):
        policy = check_policy(made, who)
        has_entropy = hasattr(policy, "entropy")
    return (_GuardedWithEntropy if has_entropy else GuardedPolicy)(policy, who, path)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PolicyError(f"{path}: cannot be read: no such file")
    home = str(path.resolve())
    unique = f"own_policy_{hashlib.sha256(home.encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(unique, home)
    if spec is None or spec.loader is None:
        raise PolicyError(f"{path}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # what lies beside it can be imported
    sys.modules[unique] = module
    try:
        with _blaming(str(path), "importing it", path):
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(unique, None)
        raise
    return module


@contextmanager
def _blaming(who: str, what: str, path: Path) -> Iterator[None]:
    """Turn whatever someone's code raises into one error that says where it was."""
    try:
        yield
    except (MesocosmError, KeyboardInterrupt):
        raise
    except BaseException as error:
        home = str(path.resolve())
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == home]
        if isinstance(error, SyntaxError) and error.filename == home:
            lines.append(error.lineno)
        where = f" (line {lines[-1]})" if lines else ""
        said = " ".join(f"{type(error).__name__}: {_text(error)}".split())[:300]
        raise PolicyError(f"{who}: {what} raised {said}{where}") from error


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # someone's own error, which cannot even say what it is
        return "without a text"


class GuardedPolicy:
    """Plays someone's code; what it raises, or answers wrongly, is one `PolicyError`."""

    truth: Any = None

    def __init__(self, policy: Policy, who: str, path: Path) -> None:
        self.inner, self._who, self._path = policy, who, path
        self.privileged = bool(policy.privileged)

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        """Prepare for new episodes of a role."""
        self._spec, self._lead = spec, (num_envs, spec.num_agents)
        with _blaming(self._who, "reset", self._path):
            if self.privileged:
                self.inner.truth = self.truth  # type: ignore[attr-defined]
            self.inner.reset(spec, num_envs, seed)

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        """Choose actions for `[env, agent]`."""
        with _blaming(self._who, "act", self._path):
            given = self.inner.act(obs, mask, info, began)
        answer = read_answer(given, self._spec, self._lead, self._who)
        return self._spec.action.join(*answer)


class _GuardedWithEntropy(GuardedPolicy):
    def entropy(self) -> np.ndarray:
        """Give the entropy of the last actions: `[env, agent]`."""
        with _blaming(self._who, "entropy", self._path):
            given = np.asarray(self.inner.entropy(), np.float64)  # type: ignore[attr-defined]
        if given.shape != self._lead:
            raise PolicyError(
                f"{self._who}: entropy() must be of shape {self._lead}, got {given.shape}"
            )
        return given
