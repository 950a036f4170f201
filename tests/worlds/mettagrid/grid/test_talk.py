"""Speech on the grid."""

import numpy as np
from games import game

from mesocosm.worlds.mettagrid import IdMap
from mesocosm.worlds.mettagrid.client import tokens
from mesocosm.worlds.mettagrid.client.speech import MacroDirective, heard_by, with_talk

TALK = {"enabled": True, "cooldown_steps": 3}


def test_agents_that_see_a_speaker_hear_it_until_its_cooldown_ends():
    env = game("@.@....@", talk=TALK, obs={"width": 5, "height": 5, "num_tokens": 60})
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): {"talk": "ore here"}}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 3)}
    assert heard_by(step.info, 0, 2) == {}
    table = IdMap(env.config.core)
    seen = tokens.entities(tokens.decode(step.obs[0, 1], table), table, heard_by(step.info, 0, 1))
    (speaker,) = (entity for entity in seen if entity.label == "talking")
    assert speaker.attributes["talk_text"] == "ore here"
    assert speaker.attributes["talk_remaining_steps"] == 3
    step = env.step(with_talk(np.zeros((1, 3)), {(0, 0): MacroDirective(talk="again")}))
    assert heard_by(step.info, 0, 1) == {0: ("ore here", 2)}
    env.step(with_talk(np.zeros((1, 3)), {}))
    step = env.step(with_talk(np.zeros((1, 3)), {}))
    assert heard_by(step.info, 0, 1) == {}
    assert "talk" in {event["kind"] for event in env.events()}


def test_game_with_talk_has_vibes_but_no_vibe_actions():
    env = game("@.", talk=TALK, vibes=["default", "happy"], actions={"vibes": ["happy"]})
    assert "change_vibe_happy" not in env.spec.roles["cog"].action.choices[0].options
    assert IdMap(env.config.core).vibe_names() == ["default", "happy"]
