"""Write conditions and queries, which contain each other, as bytecode: a query fills a list."""

from collections.abc import Iterable

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.layout import MAX_BOUND
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
    ACTOR,
    EXISTS,
    GAME_VALUE,
    HAS_ANY_TAG,
    HAS_RESOURCE,
    HAS_TAG,
    HAS_VIBE,
    NEAR_LISTED,
    PERIODIC,
    SHARED_TAG,
    TARGET,
    TARGET_CELL_EMPTY,
    TARGET_USABLE,
    WHOM,
    WITHIN_DISTANCE,
)
from mesocosm.worlds.mettagrid.compile.bytecode.rows import SymbolWriter
from mesocosm.worlds.mettagrid.compile.geometry import DIRECTION_STEPS
from mesocosm.worlds.mettagrid.compile.stats import value_parts
from mesocosm.worlds.mettagrid.game.handler import Change
from mesocosm.worlds.mettagrid.game.value import CARDINALS, Condition, Query, Value


def _ray(entry: Query | Change, keeps_blocker: int, spawns: int) -> list[int]:
    """Return what is to know about rays: their reach, what they find or spawn, directions."""
    named = entry.directions or CARDINALS
    steps = [x for name in named for x in DIRECTION_STEPS[name]]
    stops = int(entry.reach_value is not None)
    return [entry.reach, stops, keeps_blocker, spawns, len(named), *steps]


FAILS = 1  # of a condition among changes: the change has failed


class QueryWriter(SymbolWriter):
    """Writes conditions, queries and values."""

    def require(self, entries: Iterable[Condition], no: int) -> None:
        """Write conditions that all must hold; a failure goes to `no`."""
        for entry in entries:
            ok = self.new_label()
            self.test(entry, ok, no)
            self.place(ok)

    def test(self, entry: Condition, ok: int, no: int) -> None:
        """Write a condition: goes to `ok` if it holds, else to `no`."""
        with self.borrowing():
            self._test(entry, ok, no)

    def _test(self, entry: Condition, ok: int, no: int) -> None:
        if entry.negate:
            ok, no = no, ok
        if entry.kind == "any_of":
            for inner in entry.inner:
                after = self.new_label()
                self.test(inner, ok, after)
                self.place(after)
            self.jump(no)
        elif entry.kind == "periodic" and self.stands_still:
            self.jump(no if entry.start > 0 else ok)
        elif entry.kind == "max_distance" and entry.query is not None:
            self.emit(EXISTS, WHOM[entry.who], 0, 0, no=no)  # of nobody, nothing is asked
            found = self.query(entry.query)
            self.emit(NEAR_LISTED, WHOM[entry.who], found, entry.radius, ok=ok, no=no)
        else:
            for part in self._test_rows(entry):
                self.emit(*part, no=no)
            self.jump(ok)

    def test_any_part(self, entries: Iterable[Condition], ok: int, no: int) -> None:
        """Write conditions of which any part is enough, as those that block a ray."""
        for entry in entries:
            alone = entry.kind == "resource" and not entry.negate
            names = list(entry.resources) if alone else [""]
            for name in names:
                one = {"resources": {name: entry.resources[name]}} if alone else {}
                after = self.new_label()
                self.test(entry.model_copy(update=one), ok, after)
                self.place(after)
        self.jump(no)

    def _test_rows(self, entry: Condition) -> list[tuple[int, ...]]:
        """Return the parts of a condition that all must hold."""
        who = WHOM[entry.who]
        if entry.kind == "resource":
            need = entry.resources.items()
            return [(HAS_RESOURCE, who, self.resource(name), least) for name, least in need]
        return [(*self._test_row(entry), 0)[:4]]

    def _test_row(self, entry: Condition) -> tuple[int, ...]:
        """Return the row of a condition of one part."""
        who = WHOM[entry.who]
        alone = {"target_loc_empty": TARGET_CELL_EMPTY, "target_is_usable": TARGET_USABLE}
        if entry.kind == "vibe":
            made = (HAS_VIBE, who, self.vibe(entry.vibe))
        elif entry.kind == "tag":
            made = (HAS_TAG, who, self.tag(entry.tag))
        elif entry.kind == "tag_prefix":
            made = (HAS_ANY_TAG, who, self.mask(entry.prefix))
        elif entry.kind == "shared_tag_prefix":
            made = (SHARED_TAG, 0, self.mask(entry.prefix))
        elif entry.kind == "max_distance":
            made = (WITHIN_DISTANCE, who, entry.radius)
        elif entry.kind == "periodic":
            return (PERIODIC, 0, entry.period, entry.start)
        elif entry.kind == "game_value":
            return (GAME_VALUE, who, self.value(entry.value, who), self.value(entry.least, who))
        else:
            made = (alone[entry.kind], 0, 0)
        return made

    def value(self, value: Value | None, who: int) -> int:
        """Write a value about the actor or the target, and before it what its queries list."""
        queries = [part.query for part in value_parts(value) if part.query is not None]
        binds = who == TARGET and any(query != Query(tag=query.tag) for query in queries)
        if not binds:
            return self.book.value(value, [self.query(query) for query in queries])
        depth = self._bind()
        self.emit(opcodes.BIND_ACTOR, 0, depth, 0)
        found = [self.query(query) for query in queries]
        self.emit(opcodes.UNBIND_ACTOR, 0, depth, 0)
        self.num_bound = depth
        return self.book.value(value, found)

    def _bind(self) -> int:
        """Reserve a place for who acted before a value bound another; give its number."""
        if self.num_bound == MAX_BOUND:
            what = f"at most {MAX_BOUND} values about others within each other"
            raise ConfigError(f"core.objects: {what}")
        self.num_bound += 1
        return self.num_bound - 1

    def query(self, query: Query, into: int | None = None) -> int:
        """Write what fills a list, borrowed if none is given, with what a query finds; give it."""
        found = self.new_list() if into is None else into
        with self.borrowing():
            self._fill(query, found)
        return found

    def _fill(self, query: Query, found: int) -> None:
        """Write what fills a list with the things of a query."""
        if query.kind == "tag" or query.source is None:
            self.emit(opcodes.LIST_TAGGED, 0, found, self.tag(query.tag))
        elif query.kind == "closure":
            self._closure(query, found)
        elif query.kind == "raycast":
            source = self.query(query.source)
            self._rays(_ray(query, int(query.include_blocker), -1), source, found, query)
        else:
            self.query(query.source, found)
        if query.kind != "raycast":
            self._filter(found, query.filters)
        shuffled = query.shuffled and query.kind != "raycast"
        if shuffled or query.most >= 0:
            self.emit(opcodes.LIMIT_LIST, int(shuffled), found, query.most)
        if query.most_value is not None:
            most = self.value(query.most_value, ACTOR)
            self.emit(opcodes.LIMIT_BY_VALUE, 0, found, most)

    def _filter(self, found: int, filters: tuple[Condition, ...]) -> None:
        """Write a filter: keep the things of a list for which all conditions hold."""
        if not filters:
            return
        again, end = self.new_label(), self.new_label()
        self.emit(opcodes.BEGIN_FILTER, 0, found, 0)
        self.place(again)
        self.emit(opcodes.NEXT_LISTED, 0, found, 0, no=end)
        self.require(filters, again)
        self.emit(opcodes.KEEP_LISTED, 0, found, 0, ok=again)
        self.place(end)

    def _closure(self, query: Query, found: int) -> None:
        """Write a closure: add candidates that an edge joins to a member, until none is left."""
        source, pool = self.query(query.source or Query()), self.query(query.candidates or Query())
        again, end = self.new_label(), self.new_label()
        self.emit(opcodes.BEGIN_CLOSURE, pool, found, source)
        self.place(again)
        self.emit(opcodes.NEXT_EDGE, pool, found, source, no=end)
        self.require(query.edges, again)
        self.emit(opcodes.JOIN_CLOSURE, 0, found, 0, ok=again)
        self.place(end)

    def _rays(self, ray: list[int], source: int, found: int, entry: Query | Change) -> None:
        """Write rays from the things of a list, or from the target, up to what blocks them."""
        which = self.store(ray)
        begin, again, end, stop, on = (self.new_label() for _ in range(5))
        self.emit(opcodes.BEGIN_RAYS, source, found, which, no=end)
        self.place(begin)
        if entry.reach_value is not None:
            self._reach(entry.reach_value, source, found, end)
        self.place(again)
        after = end if entry.reach_value is None else begin
        self.emit(opcodes.NEXT_RAY_HIT, source, found, which, no=after)
        self.test_any_part(entry.blockers, stop, on)
        self.place(on)
        self.emit(opcodes.KEEP_RAY_HIT, 0, found, which, ok=again)
        self.place(stop)
        self.emit(opcodes.BLOCK_RAY, 0, found, which, ok=again)
        self.place(end)

    def _reach(self, value: Value, source: int, found: int, end: int) -> None:
        """Write how far the rays of the next origin go; after the last, go to `end`."""
        depth = self._bind()
        self.emit(opcodes.NEXT_ORIGIN, source, found, depth, no=end)
        which = self.value(value, ACTOR)
        self.emit(opcodes.SET_REACH, depth, found, which)
        self.num_bound = depth

    def spawn_on_rays(self, entry: Change, no: int) -> None:
        """Write what spawns objects on the free cells of rays from the target."""
        self.emit(opcodes.TARGET_USABLE, 0, 0, FAILS, no=no or len(self.rows) + 1)
        self._rays(_ray(entry, 0, self.kind(entry.object)), -1, self.new_list(), entry)
