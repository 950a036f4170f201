"""What all routes share, found through the request."""

import secrets
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from mesocosm.web.folder import RunsFolder
from mesocosm.web.once import Once
from mesocosm.web.policies import PolicyNames
from mesocosm.web.sessions import Sessions
from mesocosm.web.settings import Settings
from mesocosm.web.thumbnails import Thumbnails
from mesocosm.web.workers.spare import Spares


class State:
    """The server's own things."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.instance = secrets.token_hex(8)
        self.folder = RunsFolder(settings.runs)
        self.policies = PolicyNames(settings, self.folder)
        spares = Spares(settings.spares)
        self.sessions = Sessions(settings, self.folder, spares)
        self.once = Once(settings, spares)
        self.thumbnails = Thumbnails(self.once)


def get_state(connection: HTTPConnection) -> State:
    """Find the server's things."""
    found: State = connection.app.state.mesocosm
    return found


Server = Annotated[State, Depends(get_state)]
