"""What jobs share: they take no commands but to stop."""

import json

from mesocosm.web.workers.channel import REPLY
from mesocosm.web.workers.entry import Desk


def asked_to_stop(desk: Desk) -> bool:
    """Answer the commands that came; say whether one was to stop."""
    stopped = False
    while (message := desk.receive(0.0)) is not None:
        number = json.loads(message.payload)["id"]
        if message.kind == "stop":
            stopped = True
            desk.channel.send_data(REPLY, None, str(number))
        else:
            desk.channel.send_data(REPLY, "it can only be stopped", f"{number} refused")
    return stopped
