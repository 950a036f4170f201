"""What exists in mettagrid: the arrays that rules read and write, and how they are declared."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.index import Bits, Index
from mesocosm.core.spec import Field
from mesocosm.worlds.mettagrid.arithmetic.bits import FULL_WORD, WORD_BITS, words_for
from mesocosm.worlds.mettagrid.arithmetic.twister import MASK_32
from mesocosm.worlds.mettagrid.code import MAX_CHARACTER
from mesocosm.worlds.mettagrid.compile.bytecode.layout import (
    LIST_ITEMS,
    POST_SIZE,
    SOURCE_SIZE,
    START_CELLS,
)
from mesocosm.worlds.mettagrid.compile.bytecode.script import Script, script_of
from mesocosm.worlds.mettagrid.compile.geometry import PAD, words_across
from mesocosm.worlds.mettagrid.compile.plan import Plan, list_room, plan
from mesocosm.worlds.mettagrid.compile.ranges import most_stat
from mesocosm.worlds.mettagrid.compile.stat_codes import GLIMPSES, NUM_TRACKED
from mesocosm.worlds.mettagrid.compile.stats import names_of, told_queries, views_counted
from mesocosm.worlds.mettagrid.compile.tables import claim_tables
from mesocosm.worlds.mettagrid.config import Core
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT
from mesocosm.worlds.mettagrid.game.scan import (
    keeps_land,
    keeps_proxies,
    mixes_land,
    moves_proxies,
    vanishes,
)

SCORES = 1.0e12
MAX_COUNT = 2_000_000_000
MAX_OPAQUE = 127
MOST_INFLUENCE = 2**62
LEAD_WORDS = 2
MOST_WORD = 2**63 - 1
BITMAPS = {
    "occupied": "where something is",
    "blocking": "where something blocks sight",
    "bordering": "where the land beside has another owner",
}


class State(NamedTuple):
    """The truth about a game. Things are the agents, then the objects that can change."""

    clock: Annotated[np.ndarray, "int32 [env]"]
    twister: Annotated[np.ndarray, "int64 [env, 625 or 1]"]  # MettaGrid's generator
    row: Annotated[np.ndarray, "int16 [env, thing]"]  # -1 when it is gone
    col: Annotated[np.ndarray, "int16 [env, thing]"]
    amount: Annotated[np.ndarray, "int32 [env, thing, resource]"]
    # resources in the order they are told
    held: Annotated[np.ndarray, "int16 [env, thing, resource]"]
    buckets: Annotated[np.ndarray, "int16 [env, thing]"]  # size of MettaGrid's hash map
    vibe: Annotated[np.ndarray, "int16 [env, thing]"]
    tag: Annotated[np.ndarray, "int64 [env, thing, tag word]"]  # bits of the tags it has
    ready_at: Annotated[np.ndarray, "int32 [env, thing]"]  # when an assembler works again
    started_at: Annotated[np.ndarray, "int32 [env, thing]"]  # when it was last used
    uses: Annotated[np.ndarray, "int32 [env, thing]"]
    clipped: Annotated[np.ndarray, "bool [env, thing]"]
    unclip: Annotated[np.ndarray, "int16 [env, thing]"]  # which recipe unclips it, or -1
    layout: Annotated[np.ndarray, "int16 [env]"]  # which of the maps it is
    clip_words: Annotated[np.ndarray, "int64 [env, 625 or 1]"]  # random numbers of clipping
    veiled: Annotated[np.ndarray, "bool [env, thing]"]  # does not show what it holds
    # when it got a tag that queries ask for; 0 no
    since: Annotated[np.ndarray, "int32 [env, thing, kept tag]"]
    # where its areas are; 0 nowhere, minus: soon
    post: Annotated[np.ndarray, "int32 [env, thing or 1, 3]"]
    # when it entered each area that it is in; 0 for the others
    inside: Annotated[np.ndarray, "int32 [env, agent, ..]"]
    vanished: Annotated[np.ndarray, "bool [env, thing or 1]"]  # it is there, but no cell shows it
    # from which cell a removed thing still claims land, plus one; 0 none
    left_at: Annotated[np.ndarray, "int32 [env, thing or 1]"]
    # where the proxy of a territory acted last, and which proxy a cell shows, plus one
    proxy_at: Annotated[np.ndarray, "int32 [env, territory with handlers or 1]"]
    proxy_on: Annotated[np.ndarray, "int16 [env, cell or 1]"]
    # tag of the owner of the land that it was on, plus one
    on_land: Annotated[np.ndarray, "int16 [env, agent, territory with handlers or 1]"]
    # whose land is told when it looks, plus one; 0 nothing
    land_table: Annotated[np.ndarray, "int16 [env, agent, cell of the window or 1]"]
    # what the game's own tick spawned last, plus one: its target from then on; 0 none
    game_target: Annotated[np.ndarray, "int16 [env]"]
    ground: Annotated[np.ndarray, "int16 [env, cell]"]  # what never changes, plus one; 0 nothing
    spawn: Annotated[np.ndarray, "int16 [env, agent, 2]"]
    frozen: Annotated[np.ndarray, "int16 [env, agent]"]  # attempts it still loses
    last_action: Annotated[np.ndarray, "int16 [env, agent]"]  # what succeeded last
    moved: Annotated[np.ndarray, "bool [env, agent]"]
    success: Annotated[np.ndarray, "bool [env, agent]"]
    worth: Annotated[np.ndarray, "float64 [env, agent, reward]"]  # value of each reward's sum
    earned: Annotated[np.ndarray, "float64 [env, agent, reward]"]  # what the last step paid
    # all it earned, and what layers made of that
    score: Annotated[np.ndarray, "float64 [env, agent]"]
    booked: Annotated[np.ndarray, "float64 [env, agent]"]  # the score as the step itself left it
    turn: Annotated[np.ndarray, "int16 [env, agent]"]  # who acted when, in the last step
    faults: Annotated[np.ndarray, "int32 [env, agent]"]  # invalid actions seen so far
    speech: Annotated[np.ndarray, "int32 [env, agent, character]"]  # what it says
    silent_until: Annotated[np.ndarray, "int32 [env, agent]"]
    stat: Annotated[np.ndarray, "float64 [env, agent, statistic]"]  # statistics that the game names
    game_stat: Annotated[np.ndarray, "float64 [env, game statistic]"]
    # what was counted before one's observation
    glimpse: Annotated[np.ndarray, "float64 [env, agent, ..]"]
    track: Annotated[np.ndarray, "int32 [env, agent, 5 or 1]"]  # what is remembered to count it
    visited: Annotated[np.ndarray, "int64 [env, agent, ..]"]  # bits of the cells it stood on
    seen_at: Annotated[np.ndarray, "int32 [env, ..]"]  # when anyone last saw it
    # slot on a cell, plus one; -1 off the map (derived)
    cell: Annotated[np.ndarray, "int16 [env, cell]"]
    # where something is, where something blocks sight, where owners of land meet (derived)
    occupied: Annotated[np.ndarray, "int64 [env, row word, padded row]"]
    blocking: Annotated[np.ndarray, "int64 [env, row word, padded row]"]
    bordering: Annotated[np.ndarray, "int64 [env, row word, padded row]"]
    block: Annotated[np.ndarray, "int64 [env, slot, block]"]  # tokens, two in a word (derived)
    # a block's first words, and how many tokens it has (derived)
    lead: Annotated[np.ndarray, "int64 [env, slot, 2]"]
    length: Annotated[np.ndarray, "int16 [env, slot]"]  # tokens of a block (derived)
    owner: Annotated[np.ndarray, "int16 [env, cell]"]  # tag that owns the land, plus one (derived)
    # how strongly teams claim cells, what things add to that, sides with other owners (derived)
    influence: Annotated[np.ndarray, "int64 [env, .., ..]"]
    claimed: Annotated[np.ndarray, "int32 [env, .., ..]"]
    border: Annotated[np.ndarray, "int8 [env, cell]"]
    opaque: Annotated[np.ndarray, "int8 [env, cell]"]  # how many things there block sight (derived)
    # the things with areas, in the order they joined, and how many areas an agent is in (derived)
    source: Annotated[np.ndarray, "int32 [env, .., 4]"]
    within: Annotated[np.ndarray, "int32 [env, agent]"]
    # which areas an agent is in, by their numbers, and how many agents are in each (derived)
    entered: Annotated[np.ndarray, "int32 [env, agent, ..]"]
    crowd: Annotated[np.ndarray, "int16 [env, ..]"]
    # how many have a tag that queries ask for, and who, in the order they got it (derived)
    listed: Annotated[np.ndarray, "int16 [env, kept tag, ..]"]
    # scratch: its block must be written anew (derived)
    stale: Annotated[np.ndarray, "bool [env, thing]"]
    stale_list: Annotated[np.ndarray, "int16 [env, ..]"]  # how many those are, then which
    settled: Annotated[np.ndarray, "bool [env, thing]"]  # scratch: has its share (derived)
    # scratch of the interpreter: registers and call frames (derived)
    reg: Annotated[np.ndarray, "int64 [env, register]"]
    # scratch: lists of things (derived)
    pile: Annotated[np.ndarray, "int32 [env, list, list word]"]


def fields(core: Core) -> tuple[Field, ...]:
    """Declare the state."""
    made, script = plan(core), script_of(core)
    return (
        *_things(made),
        *_scripted(core, made, script),
        *_agents(core, made),
        *_counts(core, made),
        *_derived(core, made),
        *_scratch(core, made, script),
    )


def _things(made: Plan) -> tuple[Field, ...]:
    things, most = made.num_things, MAX_COUNT
    each: dict[str, Any] = {"shape": (things,), "scope": "thing", "visibility": "public"}
    kinds, cells = made.num_slots - things, made.num_cells
    words, resources = made.tag_words, made.num_resources
    tags = tuple(Bits("tag", count) for count in _tags_in_words(made))
    way = Index("way to unclip", made.num_ways, none=True)
    held: dict[str, Any] = {"scope": "thing", "visibility": "public"}
    return (
        Field("clock", "steps played", dtype="int32", high=most, visibility="public"),
        Field("twister", "MettaGrid's random numbers", (made.twister,), "int64", high=MASK_32,
              indexes=_next_word(made.twister)),
        Field("row", "row, or -1", dtype="int16", indexes=Index("row", made.height, none=True),
              **each),
        Field("col", "column, or -1", dtype="int16", indexes=Index("column", made.width, none=True),
              **each),
        Field("amount", "what it holds", (things, resources), "int32", high=MAX_AMOUNT, **held),
        Field("held", "in which order", (things, resources), "int16",
              indexes=Index("resource", resources, none=True), **held),
        Field("buckets", "size of the hash map", dtype="int16", high=1024, **each),
        Field("vibe", "the vibe it shows", dtype="int16", high=255, **each),
        Field("tag", "tags it has", (things, words), "int64", indexes=tags or None, **held),
        Field("ready_at", "when it works again", dtype="int32", high=most, **each),
        Field("started_at", "when it was last used", dtype="int32", high=most, **each),
        Field("uses", "how often it was used", dtype="int32", high=most, **each),
        Field("clipped", "whether it is clipped", dtype="bool", **each),
        Field("unclip", "what unclips it, or -1", dtype="int16", indexes=way, **each),
        Field("layout", "which of the maps it is", dtype="int16",
              indexes=Index("map", len(made.places))),
        Field("clip_words", "the random numbers of clipping", (made.clip_words,), "int64",
              high=MASK_32, indexes=_next_word(made.clip_words)),
        Field("ground", "what never changes", (cells,), "int16", "cell", "public",
              indexes=Index("kind of ground", kinds, first=1, none=True)),
    )  # fmt: skip


def _tags_in_words(made: Plan) -> list[int]:
    """Count the tags that each word has bits for."""
    tags = len(made.ids.tag_names())
    return [min(tags - WORD_BITS * word, WORD_BITS) for word in range(made.tag_words)]


def _next_word(size: int) -> tuple[Index | None, ...] | None:
    """Declare that the last word of a twister is the index of the next one."""
    return (*[None] * (size - 1), Index("word", size)) if size > 1 else None


def _scripted(core: Core, made: Plan, script: Script) -> tuple[Field, ...]:
    things, most, agents = made.num_things, MAX_COUNT, core.num_agents
    left, places = things if keeps_land(core) else 1, made.height * made.width
    place = Index("place", places)
    lands, cells = max(len(core.land), 1), made.num_cells if moves_proxies(core) else 1
    tiles = core.obs.height * core.obs.width if mixes_land(core) else 1
    each: dict[str, Any] = {"scope": "thing", "visibility": "public"}
    return (
        Field("veiled", "whether it hides what it holds", (things,), "bool", **each),
        Field("since", "when it got a tag", (things, max(script.num_kept, 1)), "int32", high=most,
              scope="thing"),
        Field("post", "where its areas are", (things if script.num_areas else 1, POST_SIZE),
              "int32", low=-most, high=most,
              indexes=(place, None, Index("place", places, first=1, none=True))),
        Field("inside", "who is in which area", (agents, _num_own_areas(made)), "int32", high=most,
              scope="agent"),
        Field("game_target", "whom the game's tick is about", dtype="int16",
              indexes=Index("thing", things, first=1, none=True)),
        Field("vanished", "whether no cell shows it", (things if vanishes(core) else 1,), "bool",
              visibility="public"),
        Field("left_at", "from where a removed thing claims land", (left,), "int32",
              high=made.height * made.width),
        Field("proxy_at", "where a proxy of land acted", (lands,), "int32", indexes=place),
        Field("proxy_on", "which proxy a cell shows", (cells,), "int16", visibility="public",
              indexes=Index("territory", lands, first=1, none=True)),
        Field("on_land", "whose land it was on", (agents, max(script.schedule["num_lands"], 1)),
              "int16", scope="agent", indexes=Index("tag", script.num_tags, first=1, none=True)),
        Field("land_table", "whose land it is told", (agents, tiles), "int16", "agent",
              "private", high=3 + 3 * script.num_tags),
    )  # fmt: skip


def _scratch(core: Core, made: Plan, script: Script) -> tuple[Field, ...]:
    """Declare the interpreter's memory; it is all zero between steps."""
    lists, agents, most = script.num_lists, core.num_agents, list_room(core, made)
    room = LIST_ITEMS + max(most + made.num_things, 2 * made.num_resources) if lists else 1
    listed = 1 + most if script.num_kept else 1
    areas = _num_own_areas(made)
    empty: dict[str, Any] = {"derived": True, "high": 0}
    return (
        Field(
            "reg",
            "registers of the interpreter",
            (START_CELLS + 2 * agents + 1 + max(lists, 1),),
            "int64",
            **empty,
        ),
        Field("pile", "lists of things", (max(lists, 1), room), "int32", **empty),
        Field(
            "source",
            "things with areas",
            (1 + _num_sources(made), SOURCE_SIZE),
            "int32",
            low=-1,
            high=MAX_COUNT,
            derived=True,
        ),
        Field(
            "within", "how many areas it is in", (agents,), "int32", high=MAX_COUNT, derived=True
        ),
        Field("entered", "which those are", (agents, areas), "int32", high=areas, derived=True),
        Field("crowd", "who is in an area", (areas,), "int16", high=agents, derived=True),
        Field(
            "listed",
            "who has a tag",
            (max(script.num_kept, 1), listed),
            "int16",
            high=most,
            derived=not keeps_proxies(core),
            indexes=_listed_indexes(listed, made) if keeps_proxies(core) else None,
        ),
    )


def _listed_indexes(size: int, made: Plan) -> tuple[Index, ...]:
    """Declare what a list has: how many things, then which."""
    return (Index("place in a list", size), *[Index("thing", made.num_things)] * (size - 1))


def _num_sources(made: Plan) -> int:
    """Count the things that have areas, or may have."""
    return sum(bool(made.kinds[int(k)].entry.areas) for k in made.kind_of[: made.num_things])


def _num_own_areas(made: Plan) -> int:
    """Count the areas of all things; one where there are none."""
    return max(sum(len(made.kinds[int(k)].entry.areas) for k in made.kind_of[: made.num_things]), 1)


def _agents(core: Core, made: Plan) -> tuple[Field, ...]:
    agents, most = core.num_agents, MAX_COUNT
    each: dict[str, Any] = {"shape": (agents,), "scope": "agent"}
    mine: dict[str, Any] = {"visibility": "private"}
    paid: dict[str, Any] = {"scope": "agent", "low": -made.most_worth, "high": made.most_worth}
    rewards, side = (agents, made.num_terms), max(made.height, made.width) - 1
    speech = core.talk.max_length if core.talk.enabled else 1
    return (
        Field("spawn", "where it began", (agents, 2), "int16", "agent", "private", high=side),
        Field("frozen", "attempts it still loses", dtype="int16", high=32000, scope="agent",
              shape=(agents,), visibility="public"),
        Field("last_action", "what succeeded last", dtype="int16", high=32000, **each, **mine),
        Field("moved", "whether it moved", dtype="bool", **each, **mine),
        Field("success", "whether its action succeeded", dtype="bool", **each, **mine),
        Field("worth", "value of each reward's sum", rewards, **paid, **mine),
        Field("earned", "what the last step paid", rewards, **paid, **mine),
        Field("score", "all it earned", low=-SCORES, high=SCORES, malleable=True, **each, **mine),
        Field("booked", "score as the step left it", low=-SCORES, high=SCORES, **each, **mine),
        Field("turn", "who acted when", (agents,), "int16", indexes=Index("agent", agents)),
        Field("faults", "invalid actions so far", dtype="int32", high=most, **each),
        Field("speech", "what it says", (agents, speech), "int32", "agent", "public",
              high=MAX_CHARACTER),
        Field("silent_until", "when it may speak again", dtype="int32", high=most, **each,
              visibility="public"),
    )  # fmt: skip


def _counts(core: Core, made: Plan) -> tuple[Field, ...]:
    """Declare the statistics: one entry where a game names none."""
    agents, most, names = core.num_agents, MAX_COUNT, names_of(core)
    tokens, seen = views_counted(core)
    asked = told_queries(core)
    walks = any(name.startswith("cell.") for name in names.agent)
    words = words_for(made.height * made.width) if walks else 1
    each: dict[str, Any] = {"scope": "agent", "visibility": "private"}
    wide: dict[str, Any] = {"low": -most_stat(core), "high": most_stat(core)}
    tracked = NUM_TRACKED if any(names) or asked or mixes_land(core) else 1
    glimpses = len(GLIMPSES) + asked if tokens or seen or asked else 1
    slots = made.num_things + made.num_cells if seen else 1
    return (
        Field("stat", "statistics of each", (agents, max(len(names.agent), 1)), **each, **wide,
              labels=names.agent),
        Field("game_stat", "statistics of all", (max(len(names.game), 1),), **wide,
              visibility="public", labels=names.game),
        Field("glimpse", "counted before it looked", (agents, glimpses), **each, **wide),
        Field("track", "remembered to count", (agents, tracked), "int32", "agent", low=-1,
              high=most),
        Field("visited", "cells it stood on", (agents, words), "int64", "agent", high=FULL_WORD),
        Field("seen_at", "when it was last seen", (slots,), "int32", high=most),
    )  # fmt: skip


def _derived(core: Core, made: Plan) -> tuple[Field, ...]:
    cells, slots = made.num_cells, made.num_slots
    words, rows = words_across(made.width), made.height + 2 * PAD
    whole: dict[str, Any] = {"dtype": "int16", "derived": True}
    return (
        Field("cell", "slot on a cell", (cells,), low=-1, high=slots, **whole),
        *(Field(name, what, (words, rows), "int64", high=FULL_WORD, derived=True)
          for name, what in BITMAPS.items()),
        Field("block", "tokens of everything", (slots, (made.block_size + 1) // 2), "int64",
              high=MOST_WORD, derived=True),
        Field("lead", "the first of them", (slots, LEAD_WORDS), "int64", high=MOST_WORD,
              derived=True),
        Field("length", "how many those are", (slots,), high=made.block_size, **whole),
        Field("owner", "whose land it is", (cells,), high=256, **whole),
        *_land(core, made),
        Field("opaque", "what blocks sight", (cells,), "int8", high=MAX_OPAQUE, derived=True),
        Field("stale", "what looks different", (made.num_things,), "bool", high=0, derived=True),
        Field("stale_list", "list of those", (1 + made.num_things,), "int16", high=0, derived=True),
        Field("settled", "who has a share", (made.num_things,), "bool", high=0, derived=True),
    )  # fmt: skip


def _land(core: Core, made: Plan) -> tuple[Field, ...]:
    """Declare what is kept of claims to land: one entry where nothing claims any."""
    claims = any(thing.controls for thing in core.objects.values())
    claims = claims or any(kind.controls for kind in core.kinds)
    teams = claim_tables(core, made)["team"].shape[0] if claims else 0
    things, cells = (made.num_things, made.num_cells) if claims else (1, 1)
    whole: dict[str, Any] = {"derived": True}
    return (
        Field("influence", "how strongly teams claim cells", (max(teams, 1), cells), "int64",
              high=MOST_INFLUENCE, **whole),
        Field("claimed", "where it claims land", (things, max(len(core.territories), 1)), "int32",
              high=MAX_COUNT, **whole),
        Field("border", "sides with other owners", (made.num_cells,), "int8", high=15, **whole),
    )  # fmt: skip
