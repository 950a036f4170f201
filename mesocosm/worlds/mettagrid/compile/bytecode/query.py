"""Write conditions and queries, which contain each other, as bytecode: a query fills a list."""

from collections.abc import Iterable

from mesocosm.core.errors import ConfigError
from mesocosm.worlds.mettagrid.compile.bytecode import opcodes
from mesocosm.worlds.mettagrid.compile.bytecode.opcodes import (
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


def _ray_directions(directions: tuple[str, ...]) -> list[int]:
    named = directions or CARDINALS
    return [len(named), *(x for name in named for x in DIRECTION_STEPS[name])]


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
        if entry.negate:
            ok, no = no, ok
        if entry.kind == "any_of":
            for inner in entry.inner:
                after = self.new_label()
                self.test(inner, ok, after)
                self.place(after)
            self.jump(no)
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
        if who == TARGET and any(query.kind != "tag" or query.filters for query in queries):
            what = "a value about the target can count those with a tag, and no other query"
            raise ConfigError(f"core.objects: {what}")
        return self.book.value(value, [self.query(query) for query in queries])

    def query(self, query: Query) -> int:
        """Write what fills a list with the things of a query; give the list."""
        if query.kind == "tag" or query.source is None:
            found = self.new_list()
            self.emit(opcodes.LIST_TAGGED, 0, found, self.tag(query.tag))
        elif query.kind == "closure":
            found = self._closure(query)
        elif query.kind == "raycast":
            source, found = self.query(query.source), self.new_list()
            ray = [query.reach, int(query.include_blocker), -1, *_ray_directions(query.directions)]
            self._rays(ray, source, found, query.blockers)
        else:
            found = self.query(query.source)
        if query.kind != "raycast":
            self._filter(found, query.filters)
        shuffled = query.shuffled and query.kind != "raycast"
        if shuffled or query.most >= 0:
            self.emit(opcodes.LIMIT_LIST, int(shuffled), found, query.most)
        return found

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

    def _closure(self, query: Query) -> int:
        """Write a closure: add candidates that an edge joins to a member, until none is left."""
        source, pool = self.query(query.source or Query()), self.query(query.candidates or Query())
        found, again, end = self.new_list(), self.new_label(), self.new_label()
        self.emit(opcodes.BEGIN_CLOSURE, pool, found, source)
        self.place(again)
        self.emit(opcodes.NEXT_EDGE, pool, found, source, no=end)
        self.require(query.edges, again)
        self.emit(opcodes.JOIN_CLOSURE, 0, found, 0, ok=again)
        self.place(end)
        return found

    def _rays(
        self, ray: list[int], source: int, found: int, blockers: tuple[Condition, ...]
    ) -> None:
        """Write rays from the things of a list, or from the target, up to what blocks them."""
        which = self.store(ray)
        again, end, stop, on = (self.new_label() for _ in range(4))
        self.emit(opcodes.BEGIN_RAYS, source, found, which, no=end)
        self.place(again)
        self.emit(opcodes.NEXT_RAY_HIT, source, found, which, no=end)
        self.test_any_part(blockers, stop, on)
        self.place(on)
        self.emit(opcodes.KEEP_RAY_HIT, 0, found, which, ok=again)
        self.place(stop)
        self.emit(opcodes.BLOCK_RAY, 0, found, which, ok=again)
        self.place(end)

    def spawn_on_rays(self, entry: Change, no: int) -> None:
        """Write what spawns objects on the free cells of rays from the target."""
        ray = [entry.reach, 0, self.kind(entry.object), *_ray_directions(entry.directions)]
        self.emit(opcodes.TARGET_USABLE, 0, 0, 0, no=no or len(self.rows) + 1)
        self._rays(ray, -1, self.new_list(), entry.blockers)
