"""The `show` command: play one env of a preset and print or draw what is there."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from mesocosm.build import make
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import (
    Archetypes,
    Policies,
    Sets,
    Source,
    Target,
    Variants,
    at_least,
    resolve_source,
)
from mesocosm.cli.shared.players import choose_policies, make_players
from mesocosm.core.beginnings import Beginnings
from mesocosm.core.errors import ConfigError
from mesocosm.core.follow import Follower
from mesocosm.core.palette import THEMES
from mesocosm.core.policy import Policy
from mesocosm.core.scene import Scene
from mesocosm.core.step import Step
from mesocosm.evaluation.acting import begin_episodes, choose_actions, to_host
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.pictures.drawing import require_pillow
from mesocosm.telemetry.pictures.files import save_png


def show(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Source,
    steps: Annotated[int, typer.Option(help="Steps to play; 0 shows the beginning.")] = 24,
    seed: Annotated[int | None, typer.Option(help="Seed; else the config's.")] = None,
    policies: Policies = None,
    env: Annotated[int, typer.Option(help="Which env of the batch to play.")] = 0,
    every: Annotated[
        int | None, typer.Option(help="Print each so many steps too, not the last alone.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(help="Also draw the last frame into this PNG file.")
    ] = None,
    agent: Annotated[
        int | None, typer.Option(help="Draw what this agent receives, instead of everything.")
    ] = None,
    theme: Annotated[str, typer.Option(help="Colours of the picture: light or dark.")] = "light",
    target: Target = "python",
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
) -> None:
    """Play one env with scripted or learnt policies and print what it looks like."""
    at_least(0, steps=steps, seed=seed, env=env)
    at_least(1, every=every)
    resolved = resolve_source(source, assignments, archetypes, variants)
    config, world = resolved.config, resolved.world
    if world.text is None:
        raise ConfigError(f"{world.name} cannot be shown: its WORLD has no text")
    check_picture(resolved, png, agent, theme)
    names = choose_policies(policies or [], resolved.spec)
    players = make_players(names, resolved.spec).policies
    with compiling():
        made = make(resolved, target=target, seed=seed, first_env=env, autoreset="off")
    seed = config.identity.seed if seed is None else seed
    follower = Follower()
    for t, truth, step in frames(made, players, steps=steps, seed=seed):
        last = t == steps
        if last or (every is not None and t % every == 0):
            print(f"step {t}: {world.text(truth, config.core)}", end="\n" if last else "\n\n")
        if png is not None and agent is not None:
            picture = draw_received(made, step, agent)
        elif png is not None and world.scene is not None:
            picture = follower.follow(world.scene(truth, config.core))
    if png is not None:
        width, height = save_png(picture, png, theme=theme)
        print(f"{png}: a picture of {width} x {height}")


def check_picture(resolved: Resolved, png: Path | None, agent: int | None, theme: str) -> None:
    """Refuse a picture that cannot be drawn, before anything is played."""
    num_agents = sum(role.num_agents for role in resolved.spec.roles.values())
    if agent is not None and not 0 <= agent < num_agents:
        raise ConfigError(f"--agent: must be between 0 and {num_agents - 1}, got {agent}")
    if theme not in THEMES:
        raise ConfigError(f"--theme: must be {' or '.join(THEMES)}, got {theme!r}")
    if png is None:
        return
    if png.suffix.lower() != ".png":
        raise ConfigError(f"--png: must end in .png, got {png.name!r}")
    if resolved.world.scene is None and agent is None:
        name = resolved.world.name
        raise ConfigError(f"--png: {name} cannot be drawn: its WORLD has no scene")
    require_pillow()


def draw_received(env: Engine, step: Step, agent: int) -> Scene:
    """Draw what one agent of the first env received."""
    roles = env.spec.roles
    role = next(r for r in roles.values() if r.first <= agent < r.first + r.num_agents)
    parts = (step.obs, step.mask, step.info)
    obs, mask, info = (to_host(part if len(roles) == 1 else part[role.name]) for part in parts)
    at = (0, agent - role.first)
    told = {name: values[at] for name, values in info.items()}
    return env.world.view(env.config.core, role, obs[at], mask[at], told)


def frames(
    env: Engine, policies: Mapping[str, Policy], *, steps: int, seed: int
) -> Iterator[tuple[int, dict[str, np.ndarray], Step]]:
    """Give the steps played, the truth of the first env, and what agents received there.

    Before each step, and after the last.
    """
    step, beginnings = begin_episodes(env, policies, seed), Beginnings(env)
    began = beginnings.follow(step)
    with interrupts() as interrupted:
        for t in range(steps):
            yield t, truth_of(env), step
            if interrupted():
                raise typer.Exit(INTERRUPTED)
            # an episode's last state is shown; the next begins with the step after it
            over = to_host(step.episode_over).copy()
            if over.any():
                step = env.reset(envs=over)
                began = beginnings.follow(step)
            step = env.step(choose_actions(policies, step, began))
            began = beginnings.follow(step)
    yield steps, truth_of(env), step


def truth_of(env: Engine, index: int = 0) -> dict[str, Any]:
    """Copy the truth of one env, by field."""
    names = [*(entry.name for entry in env.spec.truth), *env.spec.exposed]
    return {name: to_host(env.truth(name))[index] for name in names}
