"""Open an env for an adapter: it gets what `core.adapter` declares, and no engine."""

import weakref
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NoReturn, TypedDict

import numpy as np

from mesocosm.adapters.critic import CriticState
from mesocosm.build import make
from mesocosm.core.adapter import AdapterEnv, Parts, check_contract
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ConfigError, CopyError, MesocosmError, RunError
from mesocosm.core.path import check_path
from mesocosm.core.policy import Policy
from mesocosm.core.scene import Scene
from mesocosm.core.spec import Role, Spec
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.run_folder import RunFolder

PER_ENV = ("episode_over", "episode_reason", "episode_outcome")


class OpenOptions(TypedDict, total=False):
    """What every adapter passes on to `open_env`."""

    target: str
    seed: int | None
    first_env: int
    threads: int
    archetypes: str | Iterable[str]
    variants: str | Iterable[str]
    record: str | Path | None
    critic: Iterable[str]


def open_env(  # noqa: PLR0913 (the one door of adapters)
    source: Any,
    overrides: Mapping[str, Any] | None = None,
    *,
    contract: int,
    num_envs: int = 1,
    autoreset: str = "same_step",
    record: str | Path | None = None,
    critic: Iterable[str] = (),
    on_host: bool = True,
    **make_options: Any,
) -> AdapterEnv:
    """Open a batch of episodes for an adapter.

    Args:
        source: A preset, a file, plain data or a config, as for `mesocosm.make`.
        contract: The version of the adapter contract that the adapter is written for.
        record: A folder that becomes the recording of everything played, from the first reset until
            `close`.
        critic: Truth fields that `critic_state` gives beside what agents see.
        on_host: Whether arrays come to the host; if not, on a GPU they stay there.
        make_options: `target`, `seed`, `first_env`, `threads`, `archetypes` and `variants`, as for
            `mesocosm.make`.
    """
    check_contract(contract)
    engine = make(source, overrides, num_envs=num_envs, autoreset=autoreset, **make_options)
    seed = make_options.get("seed")
    return _Opened(
        engine,
        seed=engine.config.identity.seed if seed is None else int(seed),
        record=record,
        critic=tuple(critic),
        on_host=on_host,
    )


class _Opened:
    """The env of one adapter; see `AdapterEnv` for the contract."""

    def __init__(
        self,
        engine: Engine,
        *,
        seed: int,
        record: str | Path | None,
        critic: tuple[str, ...],
        on_host: bool,
    ) -> None:
        self._engine, self._on_host = engine, on_host
        self._copies = on_host and engine.target == "cuda"
        self.spec: Spec = engine.spec
        self.config, self.seed = engine.config, seed
        self.num_envs, self.target = engine.num_envs, engine.target
        self.autoreset = engine.autoreset
        identity = engine.config.identity
        self.title = f"{identity.world}-{identity.preset}-v{identity.version}"
        world = engine.world
        self.tells = world.tell is not None
        self.has_scene, self.has_text = world.scene is not None, world.text is not None
        self.parts: Parts = {}
        self._step: Step | None = None
        self._critic = CriticState(engine, critic)
        self._beginnings = Beginnings(engine)
        self._began: Mapping[str, np.ndarray] | None = None
        self._end_recording: weakref.finalize[..., Any] | None = None
        self._closed = False
        self._record = None if record is None else RunFolder(check_path(record, RunError))
        if self._record is not None:
            self._record.check_new()

    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> Parts:
        self._check_open()
        if self._record is not None:
            self._begin_recording(self._record.path)
        return self._take(self._engine.reset(seed=seed, envs=envs))

    def step(self, actions: Any) -> Parts:
        if self._closed:
            self._check_open()
        return self._take(self._engine.step(actions))

    def _begin_recording(self, folder: Path) -> None:
        """Make the run folder: with the first reset, for a run without one is no run."""
        from mesocosm.telemetry.recorder import record

        self._end_recording = weakref.finalize(self, record(self._engine, folder).close)
        self._record = None

    def _take(self, step: Step) -> Parts:
        """Split a step by role; an env on the host writes the same arrays again and again."""
        self._began = None
        if step is not self._step or self._copies:
            self.parts, self._step = split(step, self.spec, self._on_host), step
        return self.parts

    def began(self) -> Mapping[str, np.ndarray]:
        if self._step is None:
            raise MesocosmError("call reset() before began()")
        if self._began is None:
            found = self._beginnings.follow(self._step)
            self._began = (
                found if isinstance(found, dict) else dict.fromkeys(self.spec.roles, found)
            )
        return self._began

    def tell(self, role: str, *, env: int, agent: int) -> dict[str, Any]:
        make_info = self._engine.world.tell
        if make_info is None:
            return {}
        part, at = self.parts[role], (env, agent)
        told = {name: np.array(values[at]) for name, values in part.info.items()}
        declared: Role = self.spec.roles[role]
        core = self.config.core
        return make_info(core, declared, np.array(part.obs[at]), np.array(part.mask[at]), told)

    def critic_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self._critic.bounds()

    def critic_state(self) -> np.ndarray:
        if not self.parts:
            raise MesocosmError("call reset() before critic_state()")
        return self._critic.read(self.parts)

    def scene(self, env: int = 0) -> Scene:
        draw = self._engine.world.scene
        if draw is None:
            raise self._cannot("be drawn", "scene")
        return draw(self._truth(env), self.config.core)

    def text(self, env: int = 0) -> str:
        write = self._engine.world.text
        if write is None:
            raise self._cannot("be written", "text")
        return write(self._truth(env), self.config.core)

    def _cannot(self, what: str, lacking: str) -> ConfigError:
        return ConfigError(f"{self.spec.world} cannot {what}: its WORLD has no {lacking}")

    def _truth(self, env: int) -> dict[str, np.ndarray]:
        if not self.parts:
            raise MesocosmError("call reset() first")
        names = [*(entry.name for entry in self.spec.truth), *self.spec.exposed]
        return {name: self._engine.truth(name)[env] for name in names}

    def admit(self, policy: Policy) -> Policy:
        if policy.privileged:
            read = self._engine.truth
            policy.truth = lambda name: read(name)  # type: ignore[attr-defined]  # noqa: PLW0108
        return policy

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Opened":
        """Copy everything; an engine that is recorded refuses."""
        made = object.__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({key: deepcopy(value, memo) for key, value in vars(self).items()})
        return made

    def __reduce__(self) -> NoReturn:
        raise CopyError(
            "an env of another library cannot be pickled: hand over a function that makes one, "
            "such as lambda: GymEnv('townlet/L1')"
        )

    def close(self) -> None:
        self._closed = True
        if self._end_recording is not None:
            self._end_recording()

    def _check_open(self) -> None:
        if self._closed:
            raise MesocosmError("this env is closed: make another")


def split(step: Step, spec: Spec, on_host: bool = True) -> dict[str, Step]:
    """Split a step by role, each part an ordinary Step."""
    alone = len(spec.roles) == 1
    to_host = np.asarray if on_host else _same
    return {
        name: Step(
            **{
                key: _each(value if alone or key in PER_ENV else value[name], to_host)
                for key, value in step._asdict().items()
            }
        )
        for name in spec.roles
    }


def _same(value: Any) -> Any:
    return value


def _each(value: Any, convert: Any) -> Any:
    if isinstance(value, dict):
        return {name: convert(array) for name, array in value.items()}
    return convert(value)
