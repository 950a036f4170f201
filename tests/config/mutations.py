"""Make broken and odd configs: any field off its range, layers of every kind contradicting."""

import copy

from mesocosm.config.identity import dump
from mesocosm.layers.draft import all_columns
from mesocosm.resolve import resolve

WILD = (-1, 0, 1, 3, 100, 2**31, 2**62, 0.5, -0.5, 1e9, "", "*", "public", None, True, [], {})
WILD += (["*"], {"*": 1}, {"*": "public"}, [[0, 1]])
SCOPES = ("public", "private", "hidden")


class Mutator:
    """Mutates the config of one preset, with the names that its world declares."""

    def __init__(self, preset, rng):
        resolved = resolve(preset)
        self.base, self.spec, self.rng = dump(resolved.config), resolved.spec, rng
        roles = resolved.spec.all_roles
        self.roles = [role.name for role in roles]
        layouts = [layout for role in roles for layout in (role.observation, role.info)]
        self.features = [entry.name for layout in layouts for entry in layout.features]
        self.columns = [column.name for column in all_columns(resolved.spec)]
        self.events = [event.name for event in resolved.spec.events]
        self.options = [
            f"{part.name}.{option}"
            for role in roles
            for part in role.action.choices
            for option in part.options
        ]

    def one_of(self, *options):
        return options[self.rng.integers(len(options))]

    def name(self, known):
        """Pick a name that the world declares; now and then a glob, or one that it does not."""
        return (
            self.one_of(*known, "*", "nowhere", "")
            if self.rng.random() < 0.3 or not known
            else (self.one_of(*known))
        )

    def mutate(self):
        """Give a config in which one to three fields are something else."""
        data = copy.deepcopy(self.base)
        for _ in range(self.one_of(1, 1, 2, 3)):
            self.one_of(self.spoil, self.scope, self.set_layer, self.set_layer)(data)
        return data

    def spoil(self, data):
        """Put something wild into any field."""
        path = self.one_of(*places(data))
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = self.one_of(*WILD)

    def scope(self, data):
        """Change what a role sees, may do, or how it is rewarded."""
        made = {"scope": {self.name(self.features): self.one_of(*SCOPES)}}
        if self.rng.random() < 0.3:
            made = {"permissions": [self.name(self.options)]}
        if isinstance(data["agents"], dict) and isinstance(data["agents"].get("roles"), dict):
            data["agents"]["roles"][self.one_of(*self.roles)] = made

    def set_layer(self, data):
        """Give one layer settings of every kind, most of them with names that exist."""
        name, settings = self.one_of(*self.layers().items())
        if isinstance(data["layers"], dict):
            data["layers"][name] = {"intensity": self.one_of(0.3, 1.0), **settings}

    def layers(self):
        features, columns, events = self.features, self.columns, self.events
        caste = {"priority": self.one_of(0, 1), "hidden": [self.name(features)]}
        caste["permissions"] = [self.name(self.options)]
        blur = {"features": self.name(features), "scope": self.one_of(*SCOPES)}
        blur |= {"noise": self.one_of(0.0, 0.1), "delay": self.one_of(0, 2)}
        count = self.spec.num_agents
        return {
            "information": {"blurs": [blur]},
            "temporal": {
                "latency": self.one_of(0, 2),
                "effects": {self.name(columns): {"steps": 2}},
                "reputation": {"weights": {self.name(events): 1.0}},
                "trust": {"weights": {self.name(events): 1.0}} if self.rng.random() < 0.3 else {},
            },
            "hierarchy": {
                "groups": self.one_of("size", "role", "list", "none"),
                "size": self.one_of(1, 2, 100),
                "members": self.one_of([], [list(range(count))]),
                "share": {self.name(features): self.one_of("mean", "sum", "max")},
                "pool": {self.name(columns): self.one_of(0.5, -1.0)},
            },
            "interaction": {
                "contention": self.one_of("id", "need", "lottery", "split"),
                "need": self.name(columns),
                "externalities": {self.name(columns): {"share": 0.5}},
                "mixing": self.one_of("shared", "group", "matrix"),
                "matrix": self.one_of([], [[1.0] * count] * count),
                "timing": self.one_of("step", "delayed"),
                "period": self.one_of(1, 4),
            },
            "power": {
                "castes": {"high": caste},
                "assign": {self.one_of(*self.roles, "nobody"): ["high"]},
                "matrix": self.one_of({}, {"high": {"high": []}}),
            },
            "incentives": {
                "costs": {self.name(self.options): 0.5},
                "penalties": {self.name(events): 0.5},
                "soften": self.one_of({}, {self.name(self.options): 1.0}),
                "reputation": self.one_of({}, {self.name(self.options): 1.0}),
            },
            "uncertainty": {
                "shocks": {"hit": {"column": self.name(columns), "hazard": 0.5, "size": -0.5}},
                "drift": {self.name([one.name for one in self.spec.tunables]): {"amount": 1.0}},
            },
        }


def places(data, path=()):
    """List the paths of everything in plain data."""
    found = [path] if path else []
    children = data.items() if isinstance(data, dict) else enumerate(data[:4])
    for key, value in children:
        deeper = isinstance(value, dict | list)
        found += places(value, (*path, key)) if deeper else [(*path, key)]
    return found
