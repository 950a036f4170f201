"""What a client sends on a stream."""

from typing import Annotated, Literal

from pydantic import Field

from mesocosm.web.models.config import Asked
from mesocosm.web.models.session import ActRequest, AgentsRequest


class Watch(Asked):
    """Look from another perspective."""

    type: Literal["watch"]
    perspective: str = Field(max_length=40)


class Take(AgentsRequest):
    """Take over agents, until they are released or the stream ends."""

    type: Literal["take"]


class Release(AgentsRequest):
    """Give agents back to their policies."""

    type: Literal["release"]


class Act(ActRequest):
    """Say what an agent does next."""

    type: Literal["act"]


ClientMessage = Annotated[Watch | Take | Release | Act, Field(discriminator="type")]
