"""The settings that trials compare: for every setting of every layer, without it and with it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise, product
from typing import Any

from mesocosm.core.spec import Spec
from mesocosm.layers.draft import all_columns

Settings = dict[str, Any]


@dataclass(frozen=True)
class Names:
    """What a world declares that settings can name."""

    spec: Spec

    @property
    def roles(self) -> list[str]:
        return list(self.spec.roles)

    @property
    def features(self) -> list[str]:
        """Name what agents see, and what a row is made of where it is tokens."""
        layouts = [role.observation for role in self.spec.roles.values()]
        tokens = [kind.name for made in layouts if made.tokens for kind in made.tokens.kinds]
        rows = [entry.name for made in layouts if not made.tokens for entry in made.features
                if entry.size]  # fmt: skip
        return list(dict.fromkeys([*rows, *tokens]))

    @property
    def columns(self) -> list[str]:
        return [column.name for column in all_columns(self.spec)]

    @property
    def own_columns(self) -> list[str]:
        """Name the columns that each agent has for itself."""
        return [column.name for column in all_columns(self.spec) if column.per_agent]

    @property
    def events(self) -> list[str]:
        return [event.name for event in self.spec.events if event.actor == "agent"]

    @property
    def dealings(self) -> list[str]:
        """Name what one agent does to another."""
        return [event.name for event in self.spec.events
                if event.actor == event.target == "agent"]  # fmt: skip

    @property
    def options(self) -> list[str]:
        """Name the options that are not the no-op, a few of each part."""
        parts = [part for role in self.spec.roles.values() for part in role.action.choices]
        found = [
            f"{part.name}.{option}"
            for part in parts
            for k, option in enumerate(part.options[:8])
            if k != part.noop
        ]
        levels = [part.name for role in self.spec.roles.values() for part in role.action.levels]
        return list(dict.fromkeys([*levels, *found]))

    @property
    def tunables(self) -> list[str]:
        return [entry.name for entry in self.spec.tunables]


Pair = tuple[Settings | None, Settings]
Maker = Callable[[Names], Iterator[Pair]]


def _each(pick: Callable[[Names], list[str]], make: Callable[[str], Pair]) -> Maker:
    """Try what a world declares, name by name."""
    return lambda names: (make(name) for name in pick(names))


def _blur(**settings: Any) -> Maker:
    return _each(lambda n: n.features, lambda x: (None, {"blurs": [{"features": x, **settings}]}))


def _two_names(names: Names) -> Iterator[Pair]:
    blur = [{"blurs": [{"features": name, "mask": True}]} for name in names.features]
    yield from ((one, other) for one, other in pairwise(blur))
    yield from ((None, one) for one in blur)


def _roles(names: Names) -> Iterator[Pair]:
    for feature, role in product(names.features, names.roles):
        yield None, {"blurs": [{"features": feature, "mask": True, "roles": role}]}


INFORMATION: dict[str, Maker] = {
    "intensity": _blur(mask=True, noise=0.2),
    "blurs.features": _two_names,
    "blurs.roles": _roles,
    "blurs.mask": _blur(mask=True),
    "blurs.noise": _blur(noise=0.2),
    "blurs.dropout": _blur(dropout=0.5),
    "blurs.delay": _blur(delay=2),
    "blurs.scope": _blur(scope="hidden"),
    "validity": lambda n: (
        ({"blurs": [{"features": name, "dropout": 0.5}]},
         {"blurs": [{"features": name, "dropout": 0.5}], "validity": True})
        for name in n.features
    ),
}  # fmt: skip


def _late(name: str, **change: Any) -> Settings:
    return {"effects": {name: {"steps": 3, "share": 1.0} | change}}


def _standing(kind: str, base: Settings, change: Settings) -> Maker:
    """Compare two settings of reputation or trust, over one event after the other."""

    def make(names: Names) -> Iterator[Pair]:
        for event in names.events if kind == "reputation" else names.dealings:
            one = {kind: {"weights": {event: -0.5}} | base}
            yield (one if base or change else None), {kind: one[kind] | change}

    return make


def _barred(kind: str) -> Maker:
    """Bar those of a bad name, or those that are not trusted, from a link."""

    def make(names: Names) -> Iterator[Pair]:
        for event in names.events if kind == "reputation" else names.dealings:
            one = {"weights": {event: -5.0}}
            for link in names.spec.links:
                yield {kind: one}, {kind: one | {"links": {link.name: 0.5}}}

    return make


def _weighed(names: Names) -> Iterator[Pair]:
    """Let a bad name take the power from an effect."""
    for event, effect in product(names.events, names.spec.effects):
        one = {"weights": {event: -5.0}}
        yield {"reputation": one}, {"reputation": one | {"effects": {effect.name: 1.0}}}


TEMPORAL: dict[str, Maker] = {
    "intensity": lambda n: iter([(None, {"history": 8})]),
    "history": lambda n: iter([(None, {"history": 2})]),
    "latency": lambda n: iter([(None, {"latency": 2})]),
    "effects.steps": _each(lambda n: n.columns, lambda x: (None, _late(x))),
    "effects.share": _each(lambda n: n.columns, lambda x: (_late(x), _late(x, share=0.5))),
    "reputation.weights": _standing("reputation", {}, {}),
    "reputation.decay": _standing("reputation", {}, {"decay": 0.5}),
    "reputation.shown": _standing("reputation", {}, {"shown": "own"}),
    "reputation.links": _barred("reputation"),
    "reputation.effects": _weighed,
    "trust.weights": _standing("trust", {}, {}),
    "trust.decay": _standing("trust", {}, {"decay": 0.5}),
    "trust.links": _barred("trust"),
}


def _pooled(names: Names, groups: Settings) -> Iterator[Settings]:
    return ({"pool": {column: 0.5}} | groups for column in names.own_columns)


def _groups(change: Settings, base: Settings | None) -> Maker:
    """Compare two ways to form groups, by what they hold or earn in common."""

    def make(names: Names) -> Iterator[Pair]:
        for changed in _pooled(names, change):
            yield (None if base is None else changed | base), changed
        mixed = {"+interaction": {"mixing": "group"}}
        yield (None if base is None else mixed | base), mixed | change

    return make


def _listed(names: Names) -> Iterator[Pair]:
    agents = list(range(names.spec.num_agents))
    few = len(agents) < 4
    members = {"groups": "list", "members": [agents] if few else [agents[::2], agents[1::2]]}
    yield from _groups(members, None)(names)


def _stored(base: Settings, change: Settings) -> Maker:
    groups = {"groups": "size", "size": 2}
    return _each(
        lambda n: n.own_columns,
        lambda x: (groups | {"store": {x: base}}, groups | {"store": {x: base | change}}),
    )


HIERARCHY: dict[str, Maker] = {
    "intensity": lambda n: ((None, made) for made in _pooled(n, {"groups": "size", "size": 2})),
    "groups": _groups({"groups": "size", "size": 2}, None),
    "size": lambda n: _groups(
        {"groups": "size", "size": min(n.spec.num_agents, 3)},
        {"groups": "size", "size": 2} if n.spec.num_agents > 2 else None,
    )(n),
    "members": _listed,
    "share": lambda n: (
        (None, {"groups": "size", "size": 2, "share": {name: how}})
        for how, name in product(("max", "sum", "mean"), n.features)
    ),
    "pool": lambda n: ((None, made) for made in _pooled(n, {"groups": "size", "size": 2})),
    "store.deposit": _stored({"deposit": 0.5, "payout": 0.1}, {"deposit": 0.9}),
    "store.payout": _stored({"deposit": 0.5, "payout": 0.1}, {"payout": 0.5}),
}


def _spill(name: str, **change: Any) -> Settings:
    return {"externalities": {name: {"share": 0.5, "to": "all"} | change}}


def _matrix(names: Names) -> Iterator[Pair]:
    count = names.spec.num_agents
    rows = [[float(j == (i + 1) % count) for j in range(count)] for i in range(count)]
    yield None, {"mixing": "matrix", "matrix": rows}


INTERACTION: dict[str, Maker] = {
    "intensity": lambda n: iter([(None, {"mixing": "shared"})]),
    "contention": lambda n: iter(
        [(None, {"contention": how}) for how in ("lottery", "rotation", "split")]
    ),
    "need": _each(lambda n: n.own_columns, lambda x: (None, {"contention": "need", "need": x})),
    "externalities.share": _each(lambda n: n.own_columns, lambda x: (None, _spill(x))),
    "externalities.to": _each(
        lambda n: n.own_columns, lambda x: (_spill(x), _spill(x, to="neighbours"))
    ),
    "mixing": lambda n: iter([(None, {"mixing": "shared"}), (None, {"mixing": "rivalry"})]),
    "matrix": _matrix,
    "rivalry": lambda n: iter([({"mixing": "rivalry"}, {"mixing": "rivalry", "rivalry": 2.0})]),
    "timing": lambda n: iter([(None, {"timing": "delayed", "period": 3})]),
    "period": lambda n: iter(
        [({"timing": "sparse", "period": 3}, {"timing": "sparse", "period": 5})]
    ),
}


def _castes(names: Names, caste: Settings, **more: Any) -> Settings:
    assign = {"*": ["first", "second"]}
    return {"castes": {"first": caste, "second": {}}, "assign": assign} | more


def _caste(pick: Callable[[Names], list[Any]], make: Callable[[Any], Settings]) -> Maker:
    return lambda names: ((None, _castes(names, make(value))) for value in pick(names))


def _assigned(names: Names) -> Iterator[Pair]:
    for option in names.options:
        made = _castes(
            names, {"permissions": [other for other in _parts(names) if other != option]}
        )
        yield made, made | {"assign": {"*": ["second", "first"]}}


def _parts(names: Names) -> list[str]:
    found = names.spec.roles.values()
    return [f"{c.name}.{o}" for role in found for c in role.action.choices for o in c.options]


def _who_may(names: Names) -> Iterator[Pair]:
    rows: tuple[Settings, ...] = ({"second": []}, {"first": []})
    for row in rows:
        yield None, _castes(names, {}, matrix={"first": row, "second": row})


POWER: dict[str, Maker] = {
    "intensity": _caste(
        lambda n: [effect.name for effect in n.spec.effects], lambda x: {"effects": {x: 0.0}}
    ),
    "castes.permissions": _caste(
        lambda n: [[x for x in _parts(n) if x != option] for option in n.options],
        lambda allowed: {"permissions": allowed},
    ),
    "castes.priority": _caste(lambda n: [-5, 5], lambda rank: {"priority": rank}),
    "castes.effects": _caste(
        lambda n: [effect.name for effect in n.spec.effects], lambda x: {"effects": {x: 0.0}}
    ),
    "castes.hidden": _caste(lambda n: n.features, lambda x: {"hidden": [x]}),
    "assign": _assigned,
    "matrix": _who_may,
}


def _risk(name: str, **settings: Any) -> Settings:
    return {"risk": {name: settings}}


INCENTIVES: dict[str, Maker] = {
    "intensity": _each(lambda n: n.options, lambda x: (None, {"costs": {x: 1.0}})),
    "costs": _each(lambda n: n.options, lambda x: (None, {"costs": {x: 1.0}})),
    "penalties": _each(lambda n: n.events, lambda x: (None, {"penalties": {x: 1.0}})),
    "max_penalty": _each(
        lambda n: n.events,
        lambda x: ({"penalties": {x: 2.0}}, {"penalties": {x: 2.0}, "max_penalty": 1.0}),
    ),
    "delay": _each(
        lambda n: n.events, lambda x: ({"penalties": {x: 1.0}}, {"penalties": {x: 1.0}, "delay": 2})
    ),
    "risk.fail": _each(lambda n: n.options, lambda x: (None, _risk(x, fail=0.9))),
    "risk.caught": _each(lambda n: n.options, lambda x: (None, _risk(x, caught=0.9, fine=1.0))),
    "risk.fine": _each(
        lambda n: n.options,
        lambda x: (_risk(x, caught=0.9, fine=1.0), _risk(x, caught=0.9, fine=2.0)),
    ),
    "opportunity": lambda n: iter([(None, {"opportunity": 0.5})]),
}


def _soften(names: Names) -> Iterator[Pair]:
    """Lift a ban of a caste, for a price or a name lost."""
    for option in names.options:
        allowed = [other for other in _parts(names) if other != option]
        power = _castes(names, {"permissions": allowed})
        yield {"+power": power}, {"+power": power, "soften": {option: 1.0}}


def _lost_name(names: Names) -> Iterator[Pair]:
    for event, option in product(names.events[:2], names.options):
        temporal = {"reputation": {"weights": {event: -0.5}}}
        yield {"+temporal": temporal}, {"+temporal": temporal, "reputation": {option: 1.0}}


INCENTIVES |= {"soften": _soften, "reputation": _lost_name}


def _shock(name: str, **change: Any) -> Settings:
    base = {"column": name, "hazard": 0.5, "size": -0.5}
    return {"shocks": {"storm": base | change}}


def _moves(kind: str, base: Settings, change: Settings) -> Maker:
    return _each(
        lambda n: n.tunables,
        lambda x: ({kind: {x: base}} if change else None, {kind: {x: base | change}}),
    )


DRIFT = {"amount": 0.9, "period": 8, "every": 1}
ADAPT = {"goal": 0.3, "rate": 1.0, "every": 1}
UNCERTAINTY: dict[str, Maker] = {
    "intensity": _each(lambda n: n.columns, lambda x: (None, _shock(x))),
    "shocks.column": _each(lambda n: n.columns, lambda x: (None, _shock(x))),
    "shocks.hazard": _each(lambda n: n.columns, lambda x: (_shock(x), _shock(x, hazard=1.0))),
    "shocks.size": _each(lambda n: n.columns, lambda x: (_shock(x), _shock(x, size=-0.9))),
    "shocks.relative": _each(lambda n: n.columns, lambda x: (_shock(x), _shock(x, relative=False))),
    "shocks.who": _each(lambda n: n.own_columns, lambda x: (_shock(x), _shock(x, who="one"))),
    "drift.shape": _moves("drift", DRIFT, {"shape": "jump"}),
    "drift.amount": _moves("drift", DRIFT, {}),
    "drift.period": _moves("drift", DRIFT, {"period": 20}),
    "drift.every": _moves("drift", DRIFT, {"every": 3}),
    "adaptation.goal": _moves("adaptation", ADAPT, {"goal": 5.0}),
    "adaptation.rate": _moves("adaptation", ADAPT, {}),
    "adaptation.every": _moves("adaptation", ADAPT, {"every": 3}),
    "adaptation.memory": _moves("adaptation", ADAPT, {"memory": 0.0}),
}

TRIALS: Mapping[str, Maker] = dict(
    chain.from_iterable(
        ((f"{layer}.{name}", make) for name, make in table.items())
        for layer, table in (
            ("information", INFORMATION),
            ("temporal", TEMPORAL),
            ("hierarchy", HIERARCHY),
            ("interaction", INTERACTION),
            ("power", POWER),
            ("incentives", INCENTIVES),
            ("uncertainty", UNCERTAINTY),
        )
    )
)
