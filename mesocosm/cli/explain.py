"""The `explain` command: one agent at one step of a run, in words and names."""

from typing import Annotated, Any

import numpy as np
import typer

from mesocosm.build import open_run
from mesocosm.cli.shared.interrupt import compiling
from mesocosm.cli.shared.options import AsJson, EnvId, RunPath, Target, at_least
from mesocosm.cli.shared.output import Section, print_json, print_sections
from mesocosm.core.action import ActionSpec
from mesocosm.core.errors import RunError, UnknownName
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.telemetry.replay.resimulate import Moment, check_env
from mesocosm.telemetry.run import Run, Visit


def explain(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    folder: RunPath,
    step: Annotated[int, typer.Option(help="The step to explain.")],
    env: EnvId = 0,
    agent: Annotated[int, typer.Option(help="Index of the agent.")] = 0,
    around: Annotated[int, typer.Option(help="Also tell events of so many steps around.")] = 5,
    target: Target = "cpu",
    as_json: AsJson = False,
) -> None:
    """Tell what an agent saw, what it did, what happened and what it earned."""
    at_least(0, step=step, env=env, agent=agent, around=around)
    run = open_run(folder)
    if step >= run.replay.num_steps:
        raise UnknownName(
            f"{folder}: no step {step}: must be between 0 and {run.replay.num_steps - 1}"
        )
    with compiling():
        data = _explain_step(run, env, agent, step, around, target)
    if as_json:
        print_json(data)
    else:
        print_sections(_sections(data))


def _explain_step(
    run: Run, env: int, agent: int, step: int, around: int, target: str
) -> dict[str, Any]:
    start = run.replay.start_of(check_env(run.replay, env), step)
    visit = run.visit(env=env, step=max(step - around, start.step), target=target)
    count = visit.env.spec.num_agents
    if agent >= count:
        raise UnknownName(f"{run.folder.path}: no agent {agent}: must be between 0 and {count - 1}")
    role = visit.env.spec.role_of(agent)
    told: dict[str, Any] = {}
    events: list[dict[str, Any]] = []
    for moment in visit:
        events += visit.env.events()
        if moment.step == step:
            told = _before(visit, moment, role, agent)
        elif moment.step == step + 1:
            told |= _after(visit, moment, role, agent)
        if moment.step > step + around:
            break
    if "reward" not in told:
        raise RunError(f"{run.folder.path}: step {step} of env {env} cannot be played again")
    head = {"run": str(run.folder.path), "env": env, "agent": agent, "role": role.name}
    head |= {"step": step, "episode": start.episode, "t": step - start.step, "seed": start.seed}
    near = [e | {"step": start.step + e["t"]} for e in events]
    keys = ("step", "kind", "actor", "target", "value", "text")
    chosen = [{k: e[k] for k in keys} for e in near if abs(e["step"] - step) <= around]
    return head | told | {"events": chosen}


def _agent_row(value: Any, role: Role, agent: int) -> Any:
    """Pick one agent's row of something that is per role."""
    array = value[role.name] if isinstance(value, dict) else value
    return np.asarray(array)[0, agent - role.first]


def _before(visit: Visit, moment: Moment, role: Role, agent: int) -> dict[str, Any]:
    view = moment.view
    info = view.info[role.name] if len(visit.env.spec.roles) > 1 else view.info
    acts = bool(_agent_row(view.acting, role, agent))
    told = {
        "saw": role.observation.decode(_agent_row(view.obs, role, agent)),
        "was_told": {k: np.asarray(v)[0, agent - role.first].tolist() for k, v in info.items()},
        "acts": acts,
    }
    given = moment.actions
    if given is None:
        return told
    own = given[role.name] if isinstance(given, dict) else given
    mask = _agent_row(view.mask, role, agent)
    return told | {"did": _name_action(role.action, own, agent - role.first, mask)}


def _name_action(action: ActionSpec, given: Any, index: int, mask: Any) -> dict[str, Any]:
    """Say an action in the names of its parts; what the mask forbade is marked."""
    choice, level = given if isinstance(given, tuple) else (given, given)
    masks, told = action.mask_parts(np.asarray(mask)), {}
    for k, part in enumerate(action.choices):
        value = int(choice[0, index, k])
        known = 0 <= value < len(part.options)
        name = part.options[value] if known else f"{value} (no such option)"
        forbidden = known and part.name in masks and not masks[part.name][value]
        told[part.name] = f"{name} (not allowed then)" if forbidden else name
    return told | {p.name: float(level[0, index, k]) for k, p in enumerate(action.levels)}


def _after(visit: Visit, moment: Moment, role: Role, agent: int) -> dict[str, Any]:
    view, spec = moment.view, visit.env.spec
    ended = bool(_agent_row(view.ended, role, agent))
    return {
        "terms": visit.env.explain(env=0, agent=agent),
        "reward": float(_agent_row(view.reward, role, agent)),
        "ended": spec.reason_name(int(_agent_row(view.reason, role, agent))) if ended else "",
        "outcome": OUTCOMES[int(_agent_row(view.outcome, role, agent))] if ended else "",
        "episode_over": spec.reason_name(int(view.episode_reason[0])),
    }


def _sections(data: dict[str, Any]) -> list[Section]:
    title = f"Agent {data['agent']} ({data['role']}) of env {data['env']}, step {data['step']}"
    note = f"step {data['t']} of episode {data['episode']}, seed {data['seed']}"
    did = [(k, str(v)) for k, v in data.get("did", {}).items()]
    idle = "" if data["acts"] else "its action did not count: it had ended, or it was not its turn"
    over = f"; the episode ended: {data['episode_over']}" if data["episode_over"] else ""
    ended = f"; it ended: {data['ended']} ({data['outcome']})" if data["ended"] else ""
    terms = [(name, f"{value:+.6g}") for name, value in data["terms"].items()]
    events = [(str(e["step"]), e["kind"], e["text"]) for e in data["events"]]
    return [
        Section(title, ("", ""), (), note),
        Section("It saw", ("feature", "value"), _rows(data["saw"])),
        Section("It was told", ("info", "value"), _rows(data["was_told"])),
        Section("It did", ("part", "choice"), did, idle),
        Section(
            "It earned", ("term", "value"), terms, f"{data['reward']:+.6g} in all{ended}{over}"
        ),
        Section("Around it", ("step", "event", ""), events, "" if events else "nothing was logged"),
    ]


def _rows(values: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for name, value in values.items():
        if isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values()):
            rows += [(f"{name} {key}", _short(entry)) for key, entry in value.items()]
        else:
            rows.append((name, _short(value)))
    return rows


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(_short(entry) for entry in value) + "]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
