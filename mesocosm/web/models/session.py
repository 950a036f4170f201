"""Runs, replays, trainings, evaluations and proofs: asking for them and following them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from mesocosm.web.models.config import Asked, ConfigRequest, RoleInfo

Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
StepNumber = Annotated[int, Field(ge=0, le=2**62)]
AgentNumber = Annotated[int, Field(ge=0, le=65_535, strict=True)]
Speed = Annotated[
    float, Field(ge=0.0, le=10_000.0, description="steps per second; 0: as fast as can be")
]
Policies = Annotated[
    dict[str, Annotated[str, Field(max_length=300)]],
    Field(max_length=256, description='by role or role[slot]; "" is for everybody else'),
]
Target = Literal["python", "cpu", "cuda"]


class SessionInfo(BaseModel):
    """Something that goes on in a worker, or did."""

    id: str
    kind: Literal["run", "replay", "training", "evaluation", "verification", "film"]
    status: str = Field(
        description="starting, running, paused, waiting, finished, stopped, crashed"
    )
    error: str = Field(description="why it crashed")
    started: str
    clients: int
    world: str = ""
    preset: str = ""
    num_agents: int = 0
    recorded: bool = False
    forked_from: dict[str, Any] | None = None
    recording: dict[str, Any] | None = Field(
        None, description="of a replay, a proof or a film: name and env of the recorded run"
    )
    policies: dict[str, str] = Field({}, description="by role or role[slot]")
    progress: dict[str, Any] = Field(description="step, t, episode, speed and so on")
    result: Any = None


class SessionDetail(SessionInfo):
    """A session with what its agents see, do and earn."""

    config: dict[str, Any] | None = None
    roles: list[RoleInfo] = []


class PlayRequest(Asked):
    """How to begin to play."""

    policies: Policies = Field(default_factory=dict)
    speed: Speed = 5.0
    paused: bool = False
    record: bool = True


class RunRequest(ConfigRequest, PlayRequest):
    """A new live run."""

    seed: Seed | None = Field(None, description="else the config's")
    steps: StepNumber = Field(0, description="after how many to end; 0: never")
    target: Target | None = Field(None, description="where rules run; else the server's own")


class ForkRequest(PlayRequest):
    """A new run that begins as another one did."""

    step: StepNumber | None = Field(None, description="steps played before; else where it is now")
    policies: Policies | None = Field(None, description="else those of the run")  # type: ignore[assignment]


class ReplayRequest(Asked):
    """A recorded run that is to be played again."""

    env: Annotated[int, Field(ge=0, le=2**31)] | None = Field(None, description="else the first")
    step: StepNumber = 0
    speed: Speed = 5.0
    paused: bool = True


class FilmRequest(Asked):
    """A film of a recorded run."""

    env: Annotated[int, Field(ge=0, le=2**31)] | None = Field(None, description="else the first")
    perspective: str = Field("everything", max_length=40, description="or agent K")
    first: StepNumber = Field(0, description="step that is shown first")
    last: StepNumber | None = Field(None, description="step that is shown last; else the end")
    every: int = Field(1, ge=1, le=100_000, description="steps between two frames")
    side: int = Field(480, ge=160, le=800, description="pixels along the map's longer side")
    theme: Literal["light", "dark"] = "light"
    format: Literal["gif", "webp", "mp4"] = "gif"
    frames_per_second: float = Field(8.0, ge=1.0, le=30.0)


class StepsRequest(Asked):
    """How many steps to play."""

    count: int = Field(1, ge=1, le=100_000)


class SpeedRequest(Asked):
    """How fast to play."""

    speed: Speed


class SeekRequest(Asked):
    """Where to go."""

    step: StepNumber


class AgentsRequest(Asked):
    """Which agents."""

    agents: list[AgentNumber] = Field(min_length=1, max_length=256)


class ActRequest(Asked):
    """What an agent that was taken over does next."""

    agent: AgentNumber
    choice: list[Annotated[int, Field(ge=0, le=65_535)]] = Field([], max_length=64)
    level: list[float] = Field([], max_length=64)


class TrainingRequest(ConfigRequest):
    """A new training."""

    steps: int = Field(1_000_000, ge=1, le=10**12, description="agent-steps")
    seed: Seed = 0
    target: Target | None = None
    threads: int = Field(1, ge=1, le=64)
    learning: dict[str, Any] = Field({}, max_length=100, description="settings by dotted path")
    starts: Policies = Field({}, description="by role, the bundle that it begins from")


class LearningRequest(ConfigRequest):
    """A config that is to be trained for."""

    learning: dict[str, Any] = Field({}, max_length=100, description="settings by dotted path")


class LearningSetting(BaseModel):
    """A setting of how is learnt."""

    path: str
    value: Any
    meaning: str
    choices: list[str] = Field([], description="what it may be, where these are words")
    low: float | None = None
    high: float | None = None


class EvaluationRequest(ConfigRequest):
    """Policies that are to be compared."""

    entrants: Policies = Field(min_length=1, description="policies by the names they go by here")
    episodes: int = Field(20, ge=1, le=100_000)
    seed: Seed = 0
    target: Target | None = None
    tournament: bool = Field(False, description="whether everybody meets everybody")


class Rows(BaseModel):
    """Rows of metrics or events, and the number to ask for the next ones."""

    next: int
    rows: list[dict[str, Any]]


class TableRows(Rows):
    """Rows of a table of a recorded run."""

    total: int = Field(description="rows that the table has")


class RecordingInfo(BaseModel):
    """A run folder."""

    name: str
    status: str = Field(description="finished, interrupted, failed, running, cut off, unreadable")
    kind: str = Field("run", description="run, training, evaluate, tournament, match and so on")
    error: str = ""
    world: str = ""
    preset: str = ""
    changed: bool = False
    steps: int = 0
    num_envs: int = 0
    num_agents: int = 0
    seed: int = 0
    started: str = ""


class RecordingDetail(RecordingInfo):
    """A run folder, and what is in it."""

    about: dict[str, Any] = {}
    config: dict[str, Any] | None = Field(None, description="what was played, all five sections")
    first_env: int = 0
    replay: bool = Field(False, description="whether it can be played again")
    tables: list[str] = []
    bundles: list[str] = []
    film_formats: list[str] = Field([], description="that this machine can write")
