"""What every adapter is compared with the raw env on: together, everything that can happen.

Short episodes, so that many boundaries are seen; `cannot` names what a config cannot give although
its world declares it, `needs` what it must give beyond that.
"""

from dataclasses import dataclass, field

from mesocosm.testing import check_adapter


@dataclass(frozen=True)
class Case:
    """One config to compare on."""

    source: str
    overrides: dict = field(default_factory=dict)
    archetypes: tuple = ()
    needs: tuple = ()
    cannot: tuple = ()
    steps: int = 80
    cannot_alone: tuple = ()  # where the end of one agent is the end of the episode

    def check(self, driver, alone=False, **options):
        """Compare an adapter with the raw env; give the report."""
        barred = (*self.cannot, *(self.cannot_alone if alone else ()))
        how = {"archetypes": self.archetypes, "needs": self.needs, "cannot": barred}
        how["steps"] = self.steps
        return check_adapter(driver, self.source, self.overrides, **(how | options))


HUNGRY = {"core.upkeep": 1.6, "core.max_steps": 12}
SLOWLY = {"core.upkeep": 0.6, "core.max_steps": 14}
RETIRING = {"core.lifespan": 7, "core.max_steps": 10}
TRUNCATING = {"core.max_steps": 5, "core.episode_truncates": True}
OPEN_MASKS = ("forbidden",)  # where masks would tell what is withheld
CASES = {
    "one agent": Case("townlet/L1", {"core.max_steps": 18, "core.difficulty": 10.0}),
    "levels": Case("commons", HUNGRY, needs=("deaths",)),
    "two roles": Case("commons/wardens", HUNGRY, needs=("deaths",)),
    "turns": Case("commons/turns", SLOWLY, needs=("deaths",)),
    "turns by state": Case("commons/scarce", SLOWLY, needs=("deaths",)),
    "layers": Case("commons/trust", HUNGRY, ("fog:0.5",), ("deaths",), OPEN_MASKS),
    "many agents": Case("townlet/L7", RETIRING, cannot=("truncations",), steps=40),
    "families": Case("townlet/L8", RETIRING, cannot=("births", "truncations"), steps=40),
    "tokens": Case(
        "mettagrid/fog", TRUNCATING, cannot=("terminations", "rewards", *OPEN_MASKS), steps=24
    ),
    "structured info": Case(
        "island/skirmish", {"core.max_steps": 5}, cannot=("terminations", "rewards"), steps=32
    ),
}
BIRTHS = {"core.max_steps": 20, "core.respawn": True, "core.hazard": 4}
CASES |= {
    "births": Case("probe", BIRTHS, needs=("deaths",), cannot_alone=("truncations",)),
    "births in turns": Case(
        "probe", BIRTHS | {"core.turns": "state"}, needs=("deaths",), cannot_alone=("truncations",)
    ),
}
