"""The constants of the model, each with its range; their values stand in data/physics.yaml."""

from typing import Annotated

from pydantic import Field

from mesocosm.config.section import Section

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Degrees = Annotated[float, Field(gt=0.0, le=180.0)]
Seconds = Annotated[float, Field(gt=0.0, le=1e5)]
Kilometres = Annotated[float, Field(gt=0.0, le=1e4)]
Factor = Annotated[float, Field(gt=0.0, le=1e4)]
Four = Annotated[list[float], Field(min_length=4, max_length=4)]
Two = Annotated[list[float], Field(min_length=2, max_length=2)]


class Physics(Section):
    """Everything that belongs to no unit and no weapon."""

    air_turn_degrees_s: Degrees = Field(description="how fast aircraft turn")
    sea_turn_degrees_s: Degrees = Field(description="how fast ships turn")
    air_acceleration: Factor = Field(description="m/s2 of aircraft")
    sea_acceleration: Factor = Field(description="m/s2 of ships")
    climb_ms: Factor = Field(description="how fast aircraft climb and descend")
    orbit_speed: Share = Field(description="share of cruise speed flown while idle")
    sprint_ranges: Factor = Field(description="top speed within so many weapon ranges of a target")
    burn_base: Share = Field(description="share of consumption that does not depend on speed")
    burn_speed: Share = Field(description="share of consumption that grows with speed squared")
    bingo_margin: Factor = Field(description="turn home when range left < this times the way")
    landing_km: Kilometres = Field(description="how near one must be to land")
    deck_fuel_s: Seconds = Field(description="from empty to full on deck")
    tanker_km: Kilometres = Field(description="how near one must be to take fuel")
    tanker_fuel_s: Seconds = Field(description="from empty to full behind a tanker")
    tanker_slots: int = Field(ge=1, le=8, description="how many take fuel at once")
    need_fuel: Share = Field(description="below this an aircraft counts as needing fuel")
    spawn_interval_s: Seconds = Field(description="time between two launches from a carrier")
    evade_km: Kilometres = Field(description="aircraft evade missiles nearer than this")
    ground_contact_m: Factor = Field(description="height of aircraft on the ground")
    rcs_cap_m2: Factor = Field(description="larger echoes count as this; emitters show at least it")
    tiers: Four = Field(description="signal to noise of tier 1, 2, 3, 4")
    visual_km: Kilometres = Field(description="within this everything is seen")
    horizon_factor: Factor = Field(description="km per square root of metres, at each end")
    steer_degrees: Degrees = Field(description="how far off the nose a directional radar looks")
    focus_gain: Factor = Field(description="gain of a radar in its focus")
    focus_degrees: Degrees = Field(description="half width of an all-round radar's focus")
    unfocus_gain: Factor = Field(description="gain of an all-round radar beside its focus")
    esm_factor: Factor = Field(description="an emitter is heard at this times its own range")
    jam_power: Factor = Field(description="noise to signal at the reference distance")
    jam_reference_km: Kilometres = Field(description="the distance at which it has that power")
    jam_beam_degrees: Degrees = Field(description="half width of the beam, at the jammer")
    jam_lobe_degrees: Degrees = Field(description="half width of the spoilt sector, at the radar")
    jam_protect_degrees: Degrees = Field(description="the same for the unit under protection")
    jam_sidelobe: Factor = Field(description="outside the sector jamming is weaker by this")
    jammer_visibility: Factor = Field(description="how much stronger an active jammer's echo is")
    satellite_s: float = Field(ge=0.0, le=1e6, description="how often all ships are seen; 0 never")
    air_memory_s: Seconds = Field(description="how long a lost aircraft is remembered")
    sea_memory_s: Seconds = Field(description="how long a lost ship is remembered")
    noise_km: Four = Field(description="greatest error of position, by tier")
    link_km: Kilometres = Field(description="contacts nearer than this are one group")
    group_rest_s: Seconds = Field(description="how long a group's number rests")
    overrun: Factor = Field(description="a missile flies this times its range at most")
    full_kill_range: Share = Field(description="up to this share of the range a shot is full")
    far_kill: Share = Field(description="how good a shot is at full range")
    agility: Share = Field(description="share of the kill probability that the fastest evade")
    agility_ms: Factor = Field(description="top speed of the fastest")
    unguided: Share = Field(description="how good a missile is that nobody guides")
    guidance_s: Seconds = Field(description="a track older than this guides nothing")
    fast_missile_ms: Factor = Field(description="point defence is weaker against faster missiles")
    fast_guard: Share = Field(description="how good point defence is against those")
    self_defence: Share = Field(description="share of the range for self-defence (SELECTIVE)")
    free_fire: Share = Field(description="share of the range for any target (FREE)")
    salvo: Two = Field(description="missiles beyond the hits needed, at hard targets")
    launch: Four = Field(description="share of the range to launch at, by level of engagement")
    stand_off: Four = Field(description="share of the range that is kept, by level")
