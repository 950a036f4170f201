"""What mettagrid declares: observation, actions, rewards, endings, events, handles."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, Token, Tokens
from mesocosm.core.spec import EventKind, Link, Quantity, Role, Spec, Term
from mesocosm.worlds.mettagrid import code
from mesocosm.worlds.mettagrid.compile.plan import Plan, plan
from mesocosm.worlds.mettagrid.compile.ranges import MARGIN, term_range
from mesocosm.worlds.mettagrid.compile.stats import names_of
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.core import Window
from mesocosm.worlds.mettagrid.game.idmap import (
    EMPTY_TOKEN,
    GLOBAL_LOCATION,
    LOCATION_ROW,
    ObservationFeatureSpec,
    action_table,
    digits,
    inventory_digits,
)
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT, Inventory
from mesocosm.worlds.mettagrid.game.scan import mixes_land, moves_proxies, vanishes
from mesocosm.worlds.mettagrid.game.thing import AgentKind
from mesocosm.worlds.mettagrid.game.value import Reward
from mesocosm.worlds.mettagrid.state import fields

VERSION = 3
PASSED_ON = "passed_on"
POSITION = ("row", "col", "spawn")
OWN_READS = {  # what the amounts that one is told of oneself depend on
    "last_reward": ("earned",),
    "last_action_move": ("moved",),
    "agent:frozen": ("frozen",),
    **dict.fromkeys(("lp:east", "lp:west", "lp:north", "lp:south"), POSITION),
}
HELD_READS = ("amount", "held", "veiled")
MAX_GLOBALS = 16  # tokens about no place, beside goals and the configured values
BYTES = tuple(str(k) for k in range(256))


VALUE_READS = (Read("stat", "self"), Read("glimpse", "self"), Read("game_stat"))


def reads(core: Core) -> tuple[Read, ...]:
    """List what tokens may depend on: what is seen, what one knows of oneself, and the land."""
    seen = ("amount", "held", "vibe", "tag", "ready_at", "uses", "clipped", "unclip", "veiled")
    mine = ("spawn", "last_action", "moved", "earned", "frozen")
    made = [Read(name, "visible") for name in (*seen, "row", "col", "ground", "frozen")]
    made += [Read(name, "self") for name in mine] + [Read("clock")]
    if any(
        value.value is not None for value in (*core.obs.values.values(), core.obs.radius) if value
    ):
        made += VALUE_READS
    if core.territories:
        made += [Read("row"), Read("col"), Read("tag"), Read("veiled")]
    if vanishes(core):
        made.append(Read("vanished"))
    if moves_proxies(core):
        made += [Read("proxy_on"), Read("tag"), Read("vibe")]
    if mixes_land(core):
        made.append(Read("land_table", "self"))
    if core.is_classic and core.obs.compass and not core.resolved("compass"):
        made += [Read("row"), Read("col")]  # it points to the nearest assembler, however far
    return tuple(made)


def observation(core: Core, made: Plan) -> Layout:
    """Declare the tokens of a cog."""
    shape = (core.obs.num_tokens, 3)
    tokens = Feature(
        "tokens", "what I see, nearest first", shape, high=255, visibility="private",
        reads=reads(core), labels=("location", "feature", "value"), absent=EMPTY_TOKEN,
    )  # fmt: skip
    names = {"tag": made.ids.tag_names(), "vibe": made.ids.vibe_names()}
    names["last_action"] = made.ids.action_names()
    names["goal"] = [entry.name for entry in made.ids.features()]
    told = len(core.resources) + len(core.obs.values) * digits(core.obs.token_value_base)
    fits = core.obs.num_tokens >= MAX_GLOBALS + told + made.block_size
    kinds = tuple(
        _token(core, entry, names.get(entry.name, ()), fits=fits) for entry in made.ids.features()
    )
    here = core.obs.height // 2 * LOCATION_ROW + core.obs.width // 2
    places = _places(core.obs)
    read_as = Tokens(shape[0], kinds, EMPTY_TOKEN, GLOBAL_LOCATION, places, here)
    return Layout((tokens,), "uint8", shape, read_as)


def _token(
    core: Core, entry: ObservationFeatureSpec, labels: Sequence[str], *, fits: bool
) -> Token:
    """Declare one feature id; `fits`: what an agent is told of itself is never cut off."""
    kind, resource = entry.name.partition(":")[::2]
    reads = OWN_READS.get(entry.name, ())
    made = Token(entry.id, entry.name, labels=tuple(labels))
    if kind == "inv" and resource in core.resources:
        base, reads = core.obs.token_value_base, HELD_READS
        made = made._replace(digits=inventory_digits(core), base=base)
    return made._replace(reads=reads if fits else ())


def _places(obs: Window) -> tuple[str, ...]:
    """Describe each location of the window by its offset from the agent."""
    steps = [
        (place // LOCATION_ROW - obs.height // 2, place % LOCATION_ROW - obs.width // 2)
        for place in range(GLOBAL_LOCATION)
    ]
    return tuple(f"{r:+d} {c:+d}" if r or c else "here" for r, c in steps)


def info(core: Core) -> Layout:
    """Declare what is told beside the tokens."""
    most = 10.0 * core.obs.num_tokens + MAX_AMOUNT
    mine: dict[str, Any] = {"visibility": "private"}
    message = code.MESSAGE_TEXT + core.talk.max_length
    said = (core.num_agents, message) if core.talk.enabled else (0,)
    heard: tuple[Read, ...] = (
        Read("speech", "visible"), Read("silent_until", "visible"), Read("clock"),
        Read("row", "visible"), Read("col", "visible"), Read("ground", "visible"),
    )  # fmt: skip
    is_open = core.obs.radius is None or core.obs.radius.value is None
    if not is_open:
        heard += VALUE_READS  # they decide how far one sees, and so hears
    if core.talk.broadcast_resource or core.conformance == "upstream":
        far = ("speech", "silent_until", "row", "col", "amount")
        heard += tuple(Read(name) for name in far)  # some are heard who are not seen
    return Layout(
        (
            Feature("success", "whether my action succeeded", reads=(Read("success", "self"),),
                    **mine),
            Feature("tokens_written", "tokens in my view", high=most, reads=reads(core),
                    about_row=True, **mine),
            Feature("tokens_dropped", "tokens that did not fit", high=most, reads=reads(core),
                    about_row=True, **mine),
            Feature("heard", "what each I see says: steps left, location, characters", said,
                    high=code.MAX_CHARACTER, reads=heard,
                    visibility="public" if is_open else "private"),
        ),
        dtype="float64",
    )  # fmt: skip


def _mask_reads(core: Core) -> dict[str, tuple[Read, ...]]:
    """List what decides whether a move or a vibe would fail, as far as a cog can see that."""
    unused = ("spawn", "last_action", "moved", "earned")
    seen = tuple(read for read in reads(core) if read.field not in unused)
    if names_of(core).game:
        seen += (Read("game_stat"),)  # what may open or close a place for all
    names = action_table(core)
    if core.actions.named:
        return dict.fromkeys(names[1:], seen)
    moves = {f"move_{name}": seen for name in core.actions.directions}
    paid = (Read("amount", "self"),)
    return moves | {name: paid for name in names if name not in ("noop", *moves)}


def action(core: Core) -> ActionSpec:
    """Declare what a cog can do."""
    names = tuple(action_table(core))
    split = core.actions.layout == "split" and not core.talk.enabled
    main = Choice(
        "action", names, "what to do", enforced=False, alone=split, option_reads=_mask_reads(core)
    )
    if core.talk.enabled:
        speech = [
            Choice(
                f"talk{k}", BYTES, "a byte of what to say", masked=False,
                used_with={f"talk{k - 1}": BYTES[1:]} if k else {},  # a zero ends the message
            )
            for k in range(code.CHARACTER_BYTES * core.talk.max_length)
        ]  # fmt: skip
        return ActionSpec((main, *speech))
    if split:
        vibe = Choice("vibe", names, "a vibe to take on", masked=False, alone=True)
        return ActionSpec((main, vibe))
    return ActionSpec((main,))


def _meaning(rewards: list[Reward]) -> str:
    """Describe what a term pays."""
    if not rewards:
        return "nothing is paid"
    plain = all(entry.value is None for entry in rewards)
    what = "the weighted inventory" if plain else "a value of the game"
    return f"{what}, every step" if rewards[0].per_tick else f"what {what} gained"


def _terms(core: Core, made: Plan) -> tuple[Term, ...]:
    terms = []
    for name in made.terms:
        rewards = [kind.rewards[name] for kind in core.kinds if name in kind.rewards]
        ranges = [term_range(core, entry) for entry in rewards] or [(0.0, 0.0)]
        low, high = min(0.0, *(low for low, _ in ranges)), max(0.0, *(high for _, high in ranges))
        terms.append(Term(name, low, high, _meaning(rewards)))
    if any(entry.value is not None for kind in core.kinds for entry in kind.rewards.values()):
        left = MARGIN * sum(max(-term.low, term.high) for term in terms)  # what rounding leaves
        terms[-1] = replace(terms[-1], low=terms[-1].low - left, high=terms[-1].high + left)
    most = made.most_worth * core.num_agents
    passed = Term(PASSED_ON, -most, most, "what layers added to the score: nothing by themselves")
    return (*terms, passed)


def spec(core: Core) -> Spec:
    """Declare everything about mettagrid for these parameters."""
    made = plan(core)
    cog = Role(
        "cog",
        core.num_agents,
        observation(core, made),
        action(core),
        terms=_terms(core, made),
        info=info(core),
        events=tuple(kind.name for kind in code.EVENTS),
        body="frozen",
        meaning="acts on the grid",
    )
    return Spec(
        world="mettagrid",
        version=VERSION,
        all_roles=(cog,),
        fields=fields(core),
        reasons=code.REASONS,
        events=_events(core, made),
        conflicts=code.CONFLICTS,
        tunables=code.TUNABLES[: code.BOUNTY] if core.is_classic else code.TUNABLES,
        effects=() if core.is_classic else code.EFFECTS,
        links=_links(core),
        quantities=(inventory(core),),
        extras=_extras(core, made),
    )


def _links(core: Core) -> tuple[Link, ...]:
    """List by what agents affect each other in this game."""
    if core.is_classic:
        return code.CLASSIC_LINKS
    used = any(isinstance(kind, AgentKind) and kind.on_use is not None for kind in core.kinds)
    return code.LINKS if used else ()


def inventory(core: Core) -> Quantity:
    """Declare what agents hold as what layers may change."""
    high = [max(_most_held(kind.inventory, name) for kind in core.kinds) for name in core.resources]
    meaning = "what an agent holds"
    return Quantity("inventory", meaning, "amount", tuple(core.resources), tuple(high))


def _most_held(given: Inventory, name: str) -> float:
    """Return the most of a resource that an agent can hold, or begins with."""
    limits = [limit.most for limit in given.limits.values() if name in limit.resources]
    return float(max(given.initial.get(name, 0), *(limits or [given.default_limit])))


def _events(core: Core, made: Plan) -> tuple[EventKind, ...]:
    """Name in the sentences of events what was used, and which vibe was taken on."""
    kinds = [made.kinds[k].name for k in made.kind_of[: made.num_things].tolist()]
    things = tuple(f"{name} {k}" for k, name in enumerate(kinds))
    targets, values = {"use": things}, {"vibe": core.vibes}
    return tuple(
        replace(kind, targets=targets.get(kind.name, ()), values=values.get(kind.name, ()))
        for kind in code.EVENTS
    )


def _extras(core: Core, made: Plan) -> dict[str, Any]:
    """Return the names behind the numbers."""
    teams = sorted({kind.team for kind in core.kinds if isinstance(kind, AgentKind)})
    return {"profile": core.profile, "tags": made.ids.tag_names(), "teams": teams}
