"""The names of what can happen in mettagrid, and the numbers that rules use for them."""

from mesocosm.core.spec import Conflict, Effect, EventKind, Link, Reason, Tunable, codes

REASONS = (
    Reason("finished", "neutral", "the last step was played"),
    Reason("timeout", "timeout", "the last step was played", truncates=True),
    Reason("token_overflow", "failure", "an observation did not fit", truncates=True),
    Reason("reached", "neutral", "a statistic of the game became large enough", truncates=True),
    Reason("query_overflow", "failure", "land was in a list of tags too often", truncates=True),
)
FINISHED, OUT_OF_TIME, OVERFLOW, REACHED, QUERY_OVERFLOW = codes(REASONS, 1)
EVENTS = (
    EventKind("use", "agent {actor} used {target}", target="thing"),
    EventKind("conflict", "agent {actor} found the cell of agent {target} taken", target="agent"),
    EventKind("vibe", "agent {actor} took on the vibe {value}"),
    EventKind("attack", "agent {actor} attacked agent {target}", target="agent"),
    EventKind("gift", "agent {actor} gave to agent {target}", target="agent"),
    EventKind("talk", "agent {actor} spoke, {value:.0f} characters"),
    EventKind("overflow", "agent {actor} lost {value:.0f} tokens"),
)
USED, CONFLICT, VIBED, ATTACKED, GAVE, TALKED, OVERFLOWED = codes(EVENTS)
MAX_CHARACTER, CHARACTER_BYTES = 0x10FFFF, 4  # the last code point, and the most bytes of one
MESSAGE_STEPS, MESSAGE_PLACE, MESSAGE_TEXT = 0, 1, 2  # what is heard of one speaker
TUNABLES = (
    Tunable("shuffle", 1.0, 0.0, 1.0, "whether the order of acting is drawn anew each step"),
    Tunable("bounty", 1.0, 0.0, 4.0, "multiplies what everyone receives when using something"),
)
SHUFFLE, BOUNTY = 0, 1
# what the rules of classic ask, and those of the profile cogs, each numbered from 0
CLASSIC_LINKS = (
    Link("attack", "frozen", "one agent freezes another"),
    Link("gift", "amount", "one agent gives to another"),
)
ATTACK_LINK, GIFT_LINK = 0, 1
LINKS = (Link("use", "amount", "one agent uses another"),)
USE_LINK = 0
EFFECTS = (Effect("yield", "multiplies what an agent receives when it uses something"),)
YIELD = 0
CONFLICTS = (
    Conflict(
        "cell",
        "a free cell",
        "first come, first served, in the order drawn each step",
        ordered=True,
    ),
    Conflict(
        "contents",
        "what an object holds",
        "served in the same order, the last go short",
        ordered=True,
    ),
)
