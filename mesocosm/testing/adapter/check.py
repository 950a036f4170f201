"""check_adapter: prove an adapter against the raw env, with the same seeds and actions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mesocosm.build import load_config, make
from mesocosm.core.action import Action
from mesocosm.core.adapter_driver import AdapterDriver, Received
from mesocosm.core.errors import ConfigError, ContractError, hint
from mesocosm.core.spec import Role
from mesocosm.sim.engine import Engine
from mesocosm.testing.adapter.compare import Comparison, same
from mesocosm.testing.adapter.covered import SEEN, Covered, required
from mesocosm.testing.adapter.reference import Expected, Reference
from mesocosm.testing.play import by_role, wild_actions

MakeDriver = Callable[..., AdapterDriver]
ODD = 0.1  # share of the parts of actions that are out of range or NaN
RESEED = (0.5, 0.75)  # of the steps: when everything begins anew with another seed


@dataclass
class AdapterReport:
    """What was compared and what was seen, by autoreset mode.

    Args:
        seen: How often each thing of `SEEN` happened.
        reasons: How many agents ended for each reason.
        compared: How many rows of each entry were compared.
        lost: Entries that the other library has no place for.
        layers: The layers that were on.
    """

    title: str
    seen: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    compared: dict[str, Counter[str]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.title}, layers: {', '.join(self.layers) or 'none'}"]
        for mode, seen in self.seen.items():
            lines.append(f"  {mode}: " + ", ".join(f"{seen[k]} {k}" for k in SEEN if seen[k]))
            ends = ", ".join(f"{count} {name}" for name, count in self.reasons[mode].items())
            lines.append(f"    ended: {ends or 'nobody'}")
            rows = ", ".join(f"{name} {count}" for name, count in self.compared[mode].items())
            lines.append(f"    compared: {rows}")
        return "\n".join([*lines, f"  lost: {', '.join(self.lost) or 'nothing'}"])


def check_adapter(  # noqa: PLR0913 (what is played, and how much of it)
    make_driver: MakeDriver,
    source: Any,
    overrides: Mapping[str, Any] | None = None,
    *,
    num_envs: int = 3,
    steps: int = 80,
    max_steps: int = 1000,
    seed: int = 7,
    target: str = "python",
    archetypes: str | Iterable[str] = (),
    needs: Iterable[str] = (),
    cannot: Iterable[str] = (),
) -> AdapterReport:
    """Play an adapter beside the raw env; raise `ContractError` where they differ.

    Every autoreset mode of the adapter is played with odd random actions: at least `steps`, and on
    until everything was seen that the world declares, at most `max_steps`; twice on the way all
    envs are reset with another seed. What was never seen is an error too.

    Args:
        make_driver: A class derived from `AdapterDriver`, or what makes one.
        source, overrides, archetypes: What is played, as for `mesocosm.make`. Short episodes show
            more boundaries.
        needs: What else must be seen, of `SEEN`, such as "deaths".
        cannot: What this config cannot give although its world declares it.
    """
    wanted, barred = set(needs), set(cannot)
    for name in wanted | barred:
        if name not in SEEN:
            raise ConfigError(f"check_adapter: nothing to see named {name!r}.{hint(name, SEEN)}")
    config = load_config(source, overrides, archetypes=archetypes)
    play = _Play(make_driver, config, num_envs=num_envs, seed=seed, target=target)
    identity = config.identity
    report = AdapterReport(f"{play.name} of {identity.world}/{identity.preset}")
    report.layers = play.layers
    for mode in play.autoresets:
        covered, compared = play.run(mode, (wanted, barred), (steps, max_steps), report.title)
        report.seen[mode], report.reasons[mode] = covered.counts, covered.reasons
        report.compared[mode], report.lost = compared, tuple(sorted(play.lost))
    return report


class _Play:
    """How one adapter is made and played."""

    def __init__(
        self, make_driver: MakeDriver, config: Any, *, num_envs: int, seed: int, target: str
    ) -> None:
        self._make, self._config, self._seed, self._target = make_driver, config, seed, target
        first = self._driver("", num_envs)
        self.name, self.autoresets, self.lost = type(first).__name__, first.autoresets, first.lost
        self._num_envs = num_envs if first.batched else 1
        first.close()
        layers = config.layers.model_dump()
        self.layers = tuple(
            k for k, v in layers.items() if v != type(config.layers)().model_dump()[k]
        )

    def _driver(self, mode: str, num_envs: int) -> AdapterDriver:
        how = {"num_envs": num_envs, "seed": self._seed, "target": self._target}
        return self._make(self._config, autoreset=mode, **how)

    def run(
        self,
        mode: str,
        wishes: tuple[set[str], set[str]],
        limits: tuple[int, int],
        title: str,
    ) -> tuple[Covered, Counter[str]]:
        """Play one autoreset mode; give what was seen and compared."""
        driver = self._driver(mode, self._num_envs)
        raw = make(
            self._config,
            num_envs=self._num_envs,
            seed=self._seed,
            target=self._target,
            autoreset="off",
        )
        try:
            game = _Game(driver, Reference(raw, driver, mode), mode, f"{title}: {mode}")
            needs = (required(raw.spec, driver, game.seats) | wishes[0]) - wishes[1]
            game.play(np.random.default_rng(self._seed), limits, needs)
        finally:
            driver.close()
        missing = [name for name in SEEN if name in needs and not game.covered.counts[name]]
        if missing:
            said = ", ".join(f"{name} ({SEEN[name]})" for name in missing)
            raise ContractError(
                f"{title}: {mode}: never seen in {limits[1]} steps: {said}. Shorten episodes by "
                f"overrides, play more with max_steps=, or name in cannot= what cannot be"
            )
        return game.covered, game.comparison.num_compared


class _Game:
    """An adapter and the raw env, played side by side."""

    def __init__(self, driver: AdapterDriver, reference: Reference, mode: str, title: str) -> None:
        self._driver, self._reference, self._mode = driver, reference, mode
        raw = reference.raw
        self.comparison = Comparison(raw.world, raw.config.core, title=title, driver=driver)
        self.covered = Covered(raw.spec)
        self.seats = {name: _mask_of(driver, role) for name, role in raw.spec.roles.items()}
        self._kept: tuple[Any, Any] = ((), ())

    def play(self, rng: np.random.Generator, limits: tuple[int, int], needs: set[str]) -> None:
        """Play until enough was seen."""
        self._reset(7, None)
        self._reset(None, None)
        for t in range(limits[1]):
            self.comparison.where = f"step {t}"
            self._step(rng)
            self._renew()
            if t in [int(share * limits[0]) for share in RESEED]:
                self.comparison.where = f"reset after step {t}"
                self._reset(t % 2, None)
            enough = all(self.covered.counts[name] for name in needs)
            if t + 1 >= limits[0] and enough:
                break

    def _renew(self) -> None:
        """Begin the next episodes where that is up to whoever plays."""
        over = self._reference.over
        if self._mode == "off" and over.any():
            self.comparison.where += ", the reset after it"
            self._reset(None, over.copy() if self._driver.batched else None)

    def _reset(self, seed: int | None, envs: np.ndarray | None) -> None:
        self.comparison.where = self.comparison.where or "the first reset"
        want = self._reference.reset(seed=seed, envs=envs)
        got = self._driver.reset(seed=seed, envs=envs)
        self._compare(got, want, final=False, envs=envs)

    def _step(self, rng: np.random.Generator) -> None:
        actions = _draw(self._reference.raw, rng, ODD if self._driver.takes_odd_values else 0.0)
        handed = {name: Action(*(part.copy() for part in both)) for name, both in actions.items()}
        want = self._reference.step(actions)
        got = self._driver.step(handed)
        self._compare(got, want, final=self._mode == "same_step", envs=None)
        over = self._reference.over, self._reference.episode_over
        self.covered.add(self.seats, want, *over)
        self.covered.counts["alone"] = self._reference.num_alone

    def _compare(
        self,
        got: Mapping[str, Received],
        want: Mapping[str, Expected],
        *,
        final: bool,
        envs: np.ndarray | None,
    ) -> None:
        self._check_kept(got)
        for name, role in self._reference.roles.items():
            if self.seats[name].any():
                at = np.broadcast_to(self.seats[name], want[name].ended.shape)
                at = at if envs is None else at & envs[:, None]  # of others nothing new is said
                self.comparison.compare(role, at, got[name], want[name], final)

    def _check_kept(self, got: Mapping[str, Received]) -> None:
        """Require that what was handed out before has not changed since."""
        for part, copied in zip(*self._kept, strict=True):
            if not same(part, copied):
                raise ContractError(f"{self.comparison.where}: obs handed out before was changed")
        parts = [part.obs for part in got.values()]
        self._kept = (parts, [np.array(part) for part in parts])


def _mask_of(driver: AdapterDriver, role: Role) -> np.ndarray:  # bool [agent]
    """Say which agents of a role an adapter gives."""
    seats = driver.seats
    if seats is None:
        return np.ones(role.num_agents, bool)
    return np.isin(np.arange(role.num_agents), list(seats.get(role.name, ())))


def _draw(raw: Engine, rng: np.random.Generator, odd: float) -> dict[str, Action]:
    """Draw the actions of all agents: most within the mask, some that it forbids, some odd."""
    masked = raw._step if rng.random() < 0.7 else None
    joined = by_role(raw, wild_actions(raw, rng, masked, odd))
    made = {}
    for name, value in joined.items():
        if isinstance(value, Action):
            made[name] = value
            continue
        empty = np.zeros((*value.shape[:-1], 0), np.float32)
        choices = raw.spec.roles[name].action.choices
        made[name] = Action(value, empty) if choices else Action(empty.astype(np.int32), value)
    return made
