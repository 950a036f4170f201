"""Routes for trainings and evaluations: start, follow, stop."""

from asyncio import to_thread
from typing import Annotated

from fastapi import APIRouter, Query

from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError, short, unknown
from mesocosm.web.configs import resolve_request, run_about
from mesocosm.web.folder import is_part
from mesocosm.web.learning import choose_learning, describe_settings
from mesocosm.web.models.session import (
    EvaluationRequest,
    LearningRequest,
    LearningSetting,
    Rows,
    SessionInfo,
    TrainingRequest,
)
from mesocosm.web.routes.rows import take_rows
from mesocosm.web.session import Session, Work
from mesocosm.web.state import Server, State
from mesocosm.web.workers.evaluate import EvaluatePlan
from mesocosm.web.workers.train import TrainPlan

router = APIRouter()
TRAINING, EVALUATION = "training", "evaluation"
After = Annotated[int, Query(ge=0, le=2**62, description="the number that the last answer gave")]


@router.get("/trainings", tags=["trainings"])
async def list_trainings(server: Server) -> list[SessionInfo]:
    """List the trainings of this server."""
    return _list(server, TRAINING)


@router.post("/trainings", status_code=201, tags=["trainings"])
async def create_training(server: Server, asked: TrainingRequest) -> SessionInfo:
    """Begin to train the roles of a config."""
    resolved = await to_thread(resolve_request, asked)
    choose_learning(resolved.spec, asked.learning)
    for role in asked.starts:
        if role not in resolved.spec.roles:
            raise unknown("role with agents", role, resolved.spec.roles)
    about = run_about(resolved) | {"recorded": True}
    name = server.sessions.new_name(f"train-{about['preset'].replace('/', '-')}")
    plan = TrainPlan(
        config=dump(resolved.config),
        out=str(server.folder.path_of(name)),
        command=f"mesocosm train {about['preset']} --steps {asked.steps} --seed {asked.seed}",
        steps=asked.steps,
        seed=asked.seed,
        target=asked.target or server.settings.target,
        threads=asked.threads,
        learning=asked.learning,
        starts={role: server.policies.bundle_path(text) for role, text in asked.starts.items()},
    )
    return _start(server, name, Work(TRAINING, "train", plan, _memory(server), about))


@router.post("/learning", tags=["trainings"])
def suit_learning(asked: LearningRequest) -> list[LearningSetting]:
    """Give the learning settings that suit a config, as changed, with what each means."""
    return describe_settings(choose_learning(resolve_request(asked).spec, asked.learning))


@router.get("/trainings/{training}", tags=["trainings"])
async def get_training(server: Server, training: str) -> SessionInfo:
    """Say how far a training is; its policies are bundles of the run of the same name."""
    return _info(server.sessions.find(training, TRAINING))


@router.get("/trainings/{training}/metrics", tags=["trainings"])
async def get_curve(server: Server, training: str, after: After = 0) -> Rows:
    """Give the rows of the curve from a number on, as far as they are kept."""
    return take_rows(server.sessions.find(training, TRAINING).metrics, after)


@router.post("/trainings/{training}/stop", tags=["trainings"])
async def stop_training(server: Server, training: str) -> SessionInfo:
    """End a training; `mesocosm train --resume` goes on with it."""
    return await _stop(server, training, TRAINING)


@router.get("/evaluations", tags=["evaluations"])
async def list_evaluations(server: Server) -> list[SessionInfo]:
    """List the evaluations of this server."""
    return _list(server, EVALUATION)


@router.post("/evaluations", status_code=201, tags=["evaluations"])
async def create_evaluation(server: Server, asked: EvaluationRequest) -> SessionInfo:
    """Begin to compare policies on the same episodes."""
    resolved = await to_thread(resolve_request, asked)
    texts = server.policies.texts_of(asked.entrants, resolved.spec.world)
    for name in texts:
        if not is_part(name):
            raise ConfigError(f"entrants: letters, digits and _ . - are allowed, got {short(name)}")
    if asked.tournament and len(texts) < 2:
        raise ConfigError("entrants: a tournament needs two at least")
    about = run_about(resolved) | {"recorded": True, "policies": asked.entrants}
    kind = "tournament" if asked.tournament else "evaluate"
    run = server.sessions.new_name(f"{kind}-{about['preset'].replace('/', '-')}")
    plan = EvaluatePlan(
        config=dump(resolved.config),
        entrants=[f"{name.replace('=', '-')}={text}" for name, text in texts.items()],
        episodes=asked.episodes,
        seed=asked.seed,
        target=asked.target or server.settings.target,
        out=str(server.folder.path_of(run)),
        tournament=asked.tournament,
    )
    return _start(server, run, Work(EVALUATION, "evaluate", plan, _memory(server), about))


@router.get("/evaluations/{evaluation}", tags=["evaluations"])
async def get_evaluation(server: Server, evaluation: str) -> SessionInfo:
    """Say how far an evaluation is; its result has the tables."""
    return _info(server.sessions.find(evaluation, EVALUATION))


@router.post("/evaluations/{evaluation}/stop", tags=["evaluations"])
async def stop_evaluation(server: Server, evaluation: str) -> SessionInfo:
    """End an evaluation; what was played is kept."""
    return await _stop(server, evaluation, EVALUATION)


def _memory(server: State) -> int:
    return server.settings.limits.job_memory


def _start(server: State, name: str, work: Work) -> SessionInfo:
    return _info(server.sessions.start(name, work))


def _list(server: State, kind: str) -> list[SessionInfo]:
    return [_info(session) for session in server.sessions if session.kind == kind]


async def _stop(server: State, name: str, kind: str) -> SessionInfo:
    session = server.sessions.find(name, kind)
    await session.stop()
    return _info(session)


def _info(session: Session) -> SessionInfo:
    return SessionInfo(**session.summary())
