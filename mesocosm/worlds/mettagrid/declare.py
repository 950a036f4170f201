"""What mettagrid declares: observation, actions, rewards, endings, events, handles."""

from typing import Any

from mesocosm.core.action import ActionSpec, Choice
from mesocosm.core.observation import Feature, Layout, Read, Token, Tokens
from mesocosm.core.spec import Role, Spec, Term
from mesocosm.worlds.mettagrid import code
from mesocosm.worlds.mettagrid.config import AgentKind, Core
from mesocosm.worlds.mettagrid.idmap import action_table
from mesocosm.worlds.mettagrid.plan import Plan, plan, span
from mesocosm.worlds.mettagrid.state import TALK_BYTES, fields

VERSION = 1
PASSED_ON = "passed_on"
BYTES = tuple(str(k) for k in range(256))


def reads(core: Core) -> tuple[Read, ...]:
    """List what tokens may depend on: what is seen, what one knows of oneself, and the land."""
    seen = ("amount", "held", "vibe", "tag", "ready_at", "uses", "clipped", "veiled")
    mine = ("spawn", "last_action", "moved", "earned", "frozen")
    made = [Read(name, "visible") for name in (*seen, "row", "col", "ground", "frozen")]
    made += [Read(name, "self") for name in mine] + [Read("clock")]
    if core.territories:
        made += [Read("row"), Read("col"), Read("tag")]
    if core.is_classic:  # which recipe an assembler shows depends on the vibes around it
        made += [Read("row"), Read("col"), Read("vibe")]
    return tuple(made)


def observation(core: Core, made: Plan) -> Layout:
    """Declare the tokens of a cog."""
    shape = (core.obs.num_tokens, 3)
    tokens = Feature(
        "tokens", "what I see, nearest first", shape, high=255, visibility="private",
        reads=reads(core), labels=("location", "feature", "value"), absent=255,
    )  # fmt: skip
    kinds = tuple(Token(entry.id, entry.name) for entry in made.ids.features())
    anywhere = 255 if core.is_classic else 254
    return Layout((tokens,), "uint8", shape, Tokens(shape[0], kinds, 255, anywhere))


def info(core: Core) -> Layout:
    """Declare what is told beside the tokens."""
    most = 10.0 * core.obs.num_tokens + 65535
    mine: dict[str, Any] = {"visibility": "private"}
    said = (core.num_agents, TALK_BYTES + 1) if core.talk.enabled else (0,)
    heard = (
        Read("speech", "visible"), Read("silent_until", "visible"), Read("clock"),
        Read("row", "visible"), Read("col", "visible"), Read("ground", "visible"),
    )  # fmt: skip
    return Layout(
        (
            Feature("success", "whether my action succeeded", reads=(Read("success", "self"),),
                    **mine),
            Feature("tokens_written", "tokens in my view", high=most, reads=reads(core), **mine),
            Feature("tokens_dropped", "tokens that did not fit", high=most, reads=reads(core),
                    **mine),
            Feature("heard", "what each I see says: steps left, bytes", said, high=10_000,
                    reads=heard, visibility="public"),
        ),
        dtype="float64",
    )  # fmt: skip


def action(core: Core) -> ActionSpec:
    """Declare what a cog can do."""
    names = tuple(action_table(core))
    main = Choice("action", names, "what to do", enforced=False)
    if core.talk.enabled:
        speech = [
            Choice(f"talk{k}", BYTES, "a byte of what to say", masked=False)
            for k in range(TALK_BYTES)
        ]
        return ActionSpec((main, *speech))
    if core.actions.layout == "split":
        return ActionSpec((main, Choice("vibe", names, "a vibe to take on", masked=False)))
    return ActionSpec((main,))


def _terms(core: Core, made: Plan) -> tuple[Term, ...]:
    terms = []
    for name in made.terms:
        rewards = [kind.rewards[name] for kind in core.kinds if name in kind.rewards]
        most = 2.0 * max([span(entry) for entry in rewards], default=0.0)
        meaning = "what the weighted inventory gained" if rewards else "nothing is paid"
        terms.append(Term(name, -most, most, meaning))
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
        events=code.EVENTS,
        conflicts=code.CONFLICTS,
        tunables=code.TUNABLES,
        effects=code.EFFECTS,
        links=code.LINKS,
        extras=_extras(core, made),
    )


def _extras(core: Core, made: Plan) -> dict[str, Any]:
    """Hand out the names behind the numbers."""
    teams = sorted({kind.team for kind in core.kinds if isinstance(kind, AgentKind)})
    return {"profile": core.profile, "tags": made.ids.tag_names(), "teams": teams}
