"""The parameters of commons: every number of the rules, with its range."""

from typing import Literal, Self

from pydantic import Field, model_validator

from mesocosm.config.section import Section

MOST_TUNING = 4  # layers may raise the harvest rate to this many times its setting


class Core(Section):
    """A shared, regrowing stock and the people who live on it."""

    num_agents: int = Field(6, ge=2, le=64, description="all agents: harvesters, then wardens")
    num_wardens: int = Field(0, ge=0, le=16, description="how many of the agents are wardens")
    turns: Literal["simultaneous", "fixed", "state"] = Field(
        "simultaneous", description="all act at once, one after the other, or whoever took least"
    )
    max_steps: int = Field(200, ge=1, le=100_000, description="length of an episode")
    sight: int = Field(1, ge=1, le=3, description="neighbours seen on each side of the ring")
    capacity: float = Field(100.0, ge=1.0, le=1e6, description="the most the stock can hold")
    initial_stock: float = Field(0.6, ge=0.0, le=1.0, description="share of capacity at reset")
    growth_low: float = Field(0.15, ge=0.0, le=1.0, description="least hidden growth rate")
    growth_high: float = Field(0.35, ge=0.0, le=1.0, description="greatest hidden growth rate")
    harvest_rate: float = Field(3.0, ge=0.01, le=1e3, description="catch of full effort per step")
    skill_low: float = Field(0.5, ge=0.0, le=1.0, description="least private skill")
    upkeep: float = Field(
        0.4, ge=0.0, le=1e3, description="wealth each harvester lives on per step"
    )
    initial_wealth: float = Field(8.0, ge=0.0, le=1e6, description="wealth at reset")
    wealth_cap: float = Field(50.0, ge=1.0, le=1e6, description="wealth beyond this is lost")
    gift_size: float = Field(2.0, ge=0.0, le=1e3, description="wealth given at full amount")
    sanction_cost: float = Field(0.5, ge=0.0, le=1e3, description="what sanctioning costs")
    sanction_size: float = Field(1.5, ge=0.0, le=1e3, description="what a sanction takes")
    fine_size: float = Field(2.0, ge=0.0, le=1e3, description="what a warden's full fine takes")
    collapse_level: float = Field(0.05, ge=0.0, le=1.0, description="stock share that ends it all")
    collapse_penalty: float = Field(5.0, ge=0.0, le=1e3, description="reward lost in a collapse")
    depletion_weight: float = Field(
        1.0, ge=0.0, le=1e3, description="shared cost of a falling stock"
    )
    drought_prob: float = Field(0.5, ge=0.0, le=1.0, description="chance that an episode has one")
    drought_size: float = Field(0.3, ge=0.0, le=1.0, description="share of the stock it takes")
    death_prob: float = Field(
        0.0, ge=0.0, le=1.0, description="chance per step that a harvester dies, whatever it owns"
    )
    inheritance: Literal["none", "neighbours"] = Field(
        "none", description="who gets what a harvester owned at its end: nobody, or its neighbours"
    )
    invalid: Literal["noop", "clamp", "penalty"] = Field(
        "clamp", description="what becomes of an invalid action"
    )
    invalid_penalty: float = Field(
        0.1, ge=0.0, le=1e3, description="reward lost by one, if it costs"
    )

    @property
    def num_harvesters(self) -> int:
        """Count the agents that are no wardens."""
        return self.num_agents - self.num_wardens

    @property
    def leaves_estate(self) -> bool:
        """Whether what a harvester owned passes on when it ends."""
        return self.inheritance != "none"

    @property
    def is_mortal(self) -> bool:
        """Whether harvesters may end with something to leave."""
        return self.death_prob > 0.0 or self.leaves_estate

    @property
    def most_harvest_rate(self) -> float:
        """Return the highest harvest rate: the most that one agent can catch in a step."""
        return self.harvest_rate * MOST_TUNING

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.num_wardens > self.num_agents - 2:
            most, got = self.num_agents - 2, self.num_wardens
            raise ValueError(f"num_wardens must be at most {most} (two must harvest), got {got}")
        if self.growth_low > self.growth_high:
            raise ValueError(
                f"growth_low {self.growth_low} is above growth_high {self.growth_high}"
            )
        reach = max((self.num_harvesters - 1) // 2, 1)
        if self.sight > reach:
            raise ValueError(
                f"sight must be at most {reach}, or it reaches round, got {self.sight}"
            )
        return self
