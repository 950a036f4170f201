"""The batched engine: preallocated buffers, driven by a world's composed step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn, Protocol

import numpy as np

from mesocosm.core.check import check_indexes, check_spec
from mesocosm.core.env import Env
from mesocosm.core.errors import (
    ActionError,
    ConfigError,
    CopyError,
    MesocosmError,
    ThreadError,
    UnknownName,
    unknown,
)
from mesocosm.core.spec import LAYER, Role, Spec
from mesocosm.core.step import Step
from mesocosm.core.world import World
from mesocosm.sim import layering as layers
from mesocosm.sim.batch import snapshot as snapshots
from mesocosm.sim.batch.arrays import make_batch
from mesocosm.sim.batch.exclusive import IN_USE, Exclusive
from mesocosm.sim.batch.intake import Intake
from mesocosm.sim.frame import AUTORESETS, DONE, REPORTED, RESTART, REVIEW, Frame
from mesocosm.sim.layering import Layering
from mesocosm.sim.record.bookkeeping import make_bookkeeper
from mesocosm.sim.record.digester import Digester, make_digester
from mesocosm.sim.record.event_log import EventLog
from mesocosm.sim.targets.bounds import run_explained
from mesocosm.sim.targets.driver import make_driver
from mesocosm.sim.targets.launch import check_target

MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Execution:
    """How a config is run; nothing here changes any episode.

    Args:
        first_env: Global index of the first env, for sharding one batch over several processes.
    """

    num_envs: int = 1
    target: str = "cpu"
    seed: int = 0
    first_env: int = 0
    autoreset: str = "same_step"
    threads: int = 1

    def check(self) -> None:
        """Reject settings that cannot be run."""
        _whole("num_envs", self.num_envs, 1, 2**31 - 1)
        _whole("seed", self.seed, 0, MAX_SEED)
        _whole("first_env", self.first_env, 0, MAX_SEED - self.num_envs)
        _whole("threads", self.threads, 1, 1024)
        if not isinstance(self.autoreset, str) or self.autoreset not in AUTORESETS:
            allowed = ", ".join(AUTORESETS)
            raise ConfigError(f"autoreset: must be one of {allowed}, got {self.autoreset!r}")
        check_target(self.target)


class Watcher(Protocol):
    """Reads an env after everything that happens to it, and never writes to it."""

    def after_reset(self, chosen: np.ndarray, seed: int | None) -> None:
        """Take note of a reset of the chosen envs (bool [env])."""

    def after_step(self) -> None:
        """Take note of a step."""

    def before_load(self) -> None:
        """Take note of, or refuse, a snapshot about to be loaded."""


class Engine(Env):
    """A batch of episodes on one target; see `Env` for the contract."""

    def __init__(  # noqa: PLR0913 (all that an env is made of)
        self,
        world: World,
        spec: Spec,
        params: Any,
        *,
        config: Any,
        config_hash: str,
        execution: Execution,
        layering: Layering | None = None,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        check_spec(spec if layering is None else layering.inner, world)
        check_indexes(spec, spec.layer_fields)
        execution.check()
        num_envs = execution.num_envs
        self.world, self.spec, self.config, self.num_envs = world, spec, config, num_envs
        self.target, self.autoreset = execution.target, execution.autoreset
        self._execution, self._alone = execution, Exclusive()
        self.layering = layering
        self.provenance = dict(provenance or {})  # what the config was made of
        self.inner = spec if layering is None else layering.inner  # what the rules know
        batch = make_batch(
            world, spec, params, layering, num_envs=num_envs, autoreset=execution.autoreset
        )
        batch.f.seed[:] = execution.seed
        batch.f.env_id[:] = execution.first_env + np.arange(num_envs)
        batch.f.episode[:] = -1
        self._places = batch.places
        self.driver = make_driver(world, spec, batch.arguments, execution, layering)
        self._run = run_explained(world, spec, self.driver, execution.target, layering)
        self._meta = snapshots.describe(spec, config_hash, num_envs)
        self.started = False
        self._digester: Digester | None = None
        self.event_log = EventLog(spec, self.driver, partial(self.bookkeeper, "drain_events"))
        self.watcher: Watcher | None = None
        pairs = zip(spec.all_roles, self.driver.roles, strict=False)  # layers' arrays follow
        self.host_params = params
        self.buffers = {role.name: r for role, r in pairs if role.num_agents}
        self._intakes = {
            role.name: Intake(role, self.driver, self.buffers[role.name])
            for role in spec.roles.values()
        }
        self._only = next(iter(self._intakes.values())) if len(self._intakes) == 1 else None
        self._step = self._assemble()

    def reset(self, *, seed: int | None = None, envs: np.ndarray | None = None) -> Step:
        with self._alone:
            chosen = np.ones(self.num_envs, bool) if envs is None else self._check_envs(envs)
            if not self.started and not chosen.all():
                raise MesocosmError("the first reset must start every env")
            f = self.driver.f
            if seed is None:
                episode = self.driver.get(f.episode) + chosen
            else:
                seeds = self.driver.get(f.seed)
                seeds[chosen] = _whole("seed", seed, 0, MAX_SEED)
                self.driver.put(f.seed, seeds)
                episode = np.where(chosen, 0, self.driver.get(f.episode))
            self.driver.put(f.episode, episode)
            self._command(np.where(chosen, RESTART, DONE))
            self.started = True
            if self.watcher is not None:
                self.watcher.after_reset(chosen, seed)
            return self._step

    def aim(self, *, seed: Any, episode: Any) -> None:
        """Say after which episode of which seed the next reset goes on (for replays).

        Args:
            seed, episode: A number for all envs, or one for each.
        """
        with self._alone:
            for array, value in ((self.driver.f.seed, seed), (self.driver.f.episode, episode)):
                self.driver.put(array, np.broadcast_to(np.asarray(value, np.int64), self.num_envs))

    def step(self, actions: Any) -> Step:
        if not self.started:
            raise MesocosmError("call reset() before step()")
        if not self._alone.acquire(False):
            raise ThreadError(IN_USE)
        try:
            if self._only is not None and type(actions) is not dict:
                self._only.take(actions)
            else:
                self._take_roles(actions)
            self.run_step()
            return self._step
        finally:
            self._alone.release()

    def run_step(self) -> None:
        """Play the actions that lie in the buffers."""
        self._run()
        if self.watcher is not None:
            self.watcher.after_step()

    def save(self) -> dict[str, Any]:
        if not self.started:
            raise MesocosmError("call reset() before save()")
        with self._alone:
            arrays = {key: self.driver.get(self.array(key)) for key in snapshots.names(self.spec)}
            return {"_meta": dict(self._meta), **arrays}

    def load(self, snapshot: dict[str, Any]) -> Step:
        holding = (self.world, self.config.core)
        arrays = snapshots.check(snapshot, self.spec, self._meta, self.array, holding=holding)
        with self._alone:
            if self.watcher is not None:
                self.watcher.before_load()
            self.event_log.forget()
            for key, values in arrays.items():
                self.driver.put(self.array(key), values)
            self._command(np.full(self.num_envs, REVIEW))
            self.started = True
            return self._step

    def __deepcopy__(self, memo: dict[int, Any]) -> "Engine":
        """Make an independent env in the same state; what its last step reported is not copied."""
        if self.watcher is not None:
            raise CopyError("an env that is being recorded cannot be copied: end its run first")
        made = Engine(
            self.world,
            self.spec,
            self.host_params,
            config=self.config,
            config_hash=self._meta["config"],
            execution=self._execution,
            layering=self.layering,
            provenance=self.provenance,
        )
        for name in ("seed", "env_id", "episode"):
            array = getattr(made.driver.f, name)
            made.driver.put(array, self.driver.get(getattr(self.driver.f, name)))
        if self.started:
            made.load(self.save())
        return made

    def __copy__(self) -> NoReturn:
        raise CopyError("copy.copy(env) would share one state: use copy.deepcopy(env)")

    def __reduce__(self) -> NoReturn:
        what = "keep env.config and env.save(); make(config) and load give it back"
        raise CopyError(f"an env cannot be pickled: {what}")

    def truth(self, name: str) -> Any:
        known = {**self.spec.saved, **self.spec.exposed}
        if name not in known:
            raise unknown("truth field", name, known)
        with self._alone:
            return self.driver.get(self.array(name))

    def explain(self, *, env: int, agent: int) -> dict[str, float]:
        for name, value, count in (
            ("env", env, self.num_envs),
            ("agent", agent, self.spec.num_agents),
        ):
            if not isinstance(value, int | np.integer) or not 0 <= value < count:
                raise UnknownName(f"no {name} {value!r}: must be between 0 and {count - 1}")
        role = self.spec.role_of(agent)
        values = self.driver.get(self.driver.f.terms)[env, agent]
        return {term.name: float(values[k]) for k, term in enumerate(role.terms)}

    def events(self) -> list[dict[str, Any]]:
        with self._alone:
            return self.event_log.describe(self.event_log.take())

    @property
    def dropped_events(self) -> int:
        """How many events found the buffer full, since the env was made."""
        return self.event_log.num_dropped

    @property
    def violations(self) -> np.ndarray:  # int32 [env, agent]
        """How many invalid actions each agent played in its episode."""
        return self.driver.get(self.driver.f.violations)

    @property
    def episode(self) -> np.ndarray:  # int64 [env]
        """Which episode each env plays."""
        return self.driver.get(self.driver.f.episode)

    def digest(self) -> dict[str, int]:
        """Fingerprint every truth field: equal on every target for equal episodes."""
        with self._alone:
            if self._digester is None:
                self._digester = self.make_digester(
                    {key: self.array(key) for key in self.truth_names}
                )
            return dict(zip(self._digester.names, self._digester.digest().tolist(), strict=True))

    def make_digester(self, arrays: Mapping[str, Any]) -> Digester:
        """Make what digests and sums some of the env's arrays where they live."""
        return make_digester(arrays, self.driver.f.env_id, self.target)

    def bookkeeper(self, name: str) -> Any:
        """Make one of what notes things beside the step, by its name (for telemetry)."""
        return make_bookkeeper(name, self.target)

    @property
    def truth_names(self) -> list[str]:
        """The keys of a snapshot, `_meta` aside."""
        return snapshots.names(self.spec)

    def copy(self, array: Any) -> np.ndarray:
        """Copy one of the env's arrays to the host (for tools; agents get a Step)."""
        return self.driver.get(array)

    def host(self, array: Any) -> np.ndarray:
        """Read one of the env's arrays on the host: itself, or a copy from the device."""
        return array if isinstance(array, np.ndarray) else self.driver.get(array)

    def state(self, name: str) -> np.ndarray:
        """Copy a state array, derived ones included (for tools and tests)."""
        return self.driver.get(getattr(self.driver.s, name))

    def host_state(self) -> Any:
        """Copy the whole state to the host (for tools and tests)."""
        return self.world.state(*(self.driver.get(array) for array in self.driver.s))

    def host_frame(self) -> Frame:
        """Copy the whole frame to the host (for tools and tests)."""
        return Frame(*(self.driver.get(array) for array in self.driver.f))

    def set_state(self, name: str, values: np.ndarray) -> None:
        """Overwrite a state array without any check (for tests that plant nonsense)."""
        self.driver.put(getattr(self.driver.s, name), values)

    def array(self, key: str) -> Any:
        """Find an array by its key in a snapshot."""
        prefix = snapshots.PREFIX
        if key.startswith(prefix):
            return getattr(self.driver.f, key.removeprefix(prefix))
        if key.startswith(LAYER):
            place = self._places[key.removeprefix(LAYER)]
            extra = self.driver.roles[len(self.spec.all_roles) :]
            return layers.find_array(place, self.driver.f, extra)
        return getattr(self.driver.s, key)

    def _command(self, commands: np.ndarray) -> None:
        self.driver.put(self.driver.f.command, commands.astype(np.int8))
        self._run()

    def _check_envs(self, envs: Any) -> np.ndarray:
        try:
            chosen = np.array(envs)  # a copy: it may be the step's own, which a reset clears
        except (ValueError, TypeError, RuntimeError):
            chosen = np.zeros(0)
        if chosen.dtype != np.bool_ or chosen.shape != (self.num_envs,):
            got = f"{chosen.dtype} {chosen.shape}"
            raise ActionError(f"reset(envs=...): must be bool ({self.num_envs},), got {got}")
        return chosen

    def _take_roles(self, actions: Any) -> None:
        if not isinstance(actions, dict) or set(actions) != set(self._intakes):
            got = list(actions) if isinstance(actions, dict) else type(actions).__name__
            raise ActionError(
                f"actions must be a dict with roles {sorted(self._intakes)}, got {got}"
            )
        for name, intake in self._intakes.items():
            intake.take(actions[name])

    def _per_role(self, pick: Callable[[Role, Any], Any]) -> Any:
        made = {role.name: pick(role, self.buffers[role.name]) for role in self.spec.roles.values()}
        return next(iter(made.values())) if len(made) == 1 else made

    def _assemble(self) -> Step:
        """Make the one Step whose arrays are written again and again."""
        f, view, share = self.driver.f, self.driver.view, self.driver.share

        def shaped(array: Any, role: Role) -> Any:
            return view(array, slice(None), role.observation.shape)

        def copied(name: str, role: Role, r: Any) -> Any:
            return share(getattr(r, name))

        def info(role: Role, r: Any) -> dict[str, Any]:
            layout = role.info
            return {
                entry.name: view(r.info, layout.span(entry.name), entry.shape)
                for entry in layout.features
            }

        return Step(
            obs=self._per_role(lambda role, r: shaped(r.obs, role)),
            final_obs=self._per_role(lambda role, r: shaped(r.final_obs, role)),
            mask=self._per_role(lambda role, r: share(r.mask)),
            info=self._per_role(info),
            reward=self._per_role(lambda role, r: share(f.reward, role.span)),
            ended=self._per_role(lambda role, r: share(f.ended, role.span)),
            episode_over=share(f.reported_over),
            episode_reason=share(f.reported_ending),
            episode_outcome=share(f.reported_outcome),
            **{name: self._per_role(partial(copied, name)) for name in REPORTED},
        )


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ConfigError(f"{name}: must be an integer, got {value!r}")
    if not low <= value <= high:
        raise ConfigError(f"{name}: must be between {low} and {high}, got {value}")
    return int(value)
