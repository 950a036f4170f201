"""Draw settings of the seven layers, with what they need to mean something."""

from collections.abc import Callable
from typing import Any

from mesocosm.core.spec import Spec
from tests.fuzz.core_draft import Edit
from tests.fuzz.limits import Pools
from tests.fuzz.values import Drawer

WRONG = ("nobody_*", "no_such_name")


class Vocabulary:
    """The names that a spec declares."""

    def __init__(self, spec: Spec) -> None:
        roles = list(spec.roles.values())
        self.agents = spec.num_agents
        self.role_names = [role.name for role in roles]
        layouts = [role.observation for role in roles] + [role.info for role in roles]
        shown = {e.name: e.visibility for layout in layouts for e in layout.features}
        tokens = [role.observation.tokens for role in roles if role.observation.tokens]
        self.kinds = [kind.name for entry in tokens for kind in entry.kinds]
        self.features = sorted(shown)
        self.entries = sorted({n for layout in layouts for n in layout.names() if "." in n})[:40]
        seen = {e.name: e.visibility for r in roles for e in r.observation.features}
        amounts = [kind.name for entry in tokens for kind in entry.kinds if kind.reads]
        self.private = amounts or [n for n, how in seen.items() if how == "private"]
        own = [e for e in spec.fields if e.malleable]
        self.columns = [n for e in own for n in ([f"{e.name}.{x}" for x in e.labels] or [e.name])]
        self.columns += [f"{q.name}.{label}" for q in spec.quantities for label in q.labels]
        held = [e for e in own if e.scope == "agent"]
        self.held = [n for e in held for n in ([f"{e.name}.{x}" for x in e.labels] or [e.name])]
        self.held += [f"{q.name}.{label}" for q in spec.quantities for label in q.labels]
        self.deeds = [e.name for e in spec.events if e.actor == "agent"]
        self.dealings = [e.name for e in spec.events if e.actor == e.target == "agent"]
        parts = [part for role in roles for part in role.action.choices]
        self.options = sorted({f"{part.name}.{x}" for part in parts for x in part.options})
        idle = {f"{part.name}.{part.options[part.noop]}" for part in parts}
        self.deliberate = [name for name in self.options if name not in idle] or self.options
        self.levels = sorted({part.name for role in roles for part in role.action.levels})
        self.tunables = [entry.name for entry in spec.tunables]
        self.effects = [entry.name for entry in spec.effects]
        self.links = [entry.name for entry in spec.links]
        self.fields = sorted({entry.field for entry in spec.links})
        self.terms = sorted({term.name for role in roles for term in role.terms})
        self.ordered = any(entry.ordered for entry in spec.conflicts)
        self.divisible = any(entry.divisible for entry in spec.conflicts)
        self.events = [entry.name for entry in spec.events]

    def pools(self) -> Pools:
        """Say which names mean something at each setting."""
        globs = sorted({name[:3] + "*" for name in self.features})
        visible = self.kinds or [*self.features, *self.entries]
        return Pools(
            {
                ("Blur", "features"): [*visible, *globs[:4], "*"],
                ("Blur", "roles"): [*self.role_names, "*"],
                ("Temporal", "effects"): [*self.held, "*"],
                ("Reputation", "weights"): [*self.deeds, "*"],
                ("Reputation", "effects"): [*self.effects],
                ("Reputation", "links"): [*self.links],
                ("Regard", "weights"): [*self.dealings],
                ("Regard", "links"): [*self.links],
                ("Hierarchy", "share"): [*self.private],
                ("Hierarchy", "pool"): [*self.held, "*"],
                ("Hierarchy", "store"): [*self.held],
                ("Interaction", "need"): [*self.held],
                ("Interaction", "externalities"): [*self.held],
                ("Caste", "permissions"): [*self.options, "*"],
                ("Caste", "effects"): [*self.effects, "*"] if self.effects else [],
                ("Caste", "hidden"): [*visible],
                ("Incentives", "costs"): [*self.deliberate, *self.levels, "*"],
                ("Incentives", "penalties"): [*self.deeds],
                ("Incentives", "risk"): [*self.deliberate],
                ("Incentives", "reputation"): [*self.deliberate],
                ("Shock", "column"): [*self.columns, "*"],
                ("Uncertainty", "shocks"): ["storm", "plague", "boon"],
                ("Uncertainty", "drift"): self.tunables,
                ("Uncertainty", "adaptation"): self.tunables,
                ("RoleSettings", "scope"): [*self.features, *globs[:3]],
                ("RoleSettings", "permissions"): [*self.options, "*"],
                ("RoleSettings", "attribution"): [*self.terms, "*"],
                ("Level", "metrics"): ["*"],
            },
            [],
        )


class LayerDraft:
    """Draws edits of the layers section."""

    def __init__(self, drawer: Drawer, words: Vocabulary) -> None:
        self.drawer, self.words = drawer, words

    def edits(self, layers: list[str]) -> list[Edit]:
        """Draw some layers, each turned up."""
        drawn: dict[str, dict[str, Any]] = {}
        makers: dict[str, Callable[[], dict[str, Any]]] = {
            "information": self._information,
            "temporal": self._temporal,
            "hierarchy": self._hierarchy,
            "interaction": self._interaction,
            "power": self._power,
            "incentives": self._incentives,
            "uncertainty": self._uncertainty,
        }
        for name in layers:
            drawn[name] = makers[name]()
        self._join(drawn)
        edits: list[Edit] = []
        for name, settings in drawn.items():
            if settings:
                settings["intensity"] = self._intensity()
                edits += [(("layers", name, key), value) for key, value in settings.items()]
        return edits

    def _intensity(self) -> float:
        return float(self.drawer.pick((1.0, 1.0, 0.5, float(self.drawer.rng.uniform(0.02, 1.0)))))

    def _value(self, model: str, key: str) -> Any:
        return self.drawer.value(self.drawer.schema.field((model, key)), (model, key))

    def _maybe(self, model: str, settings: dict[str, Any], *keys: str, prob: float = 0.5) -> None:
        """Draw optional settings whose names are known here."""
        for key in keys:
            if self.drawer.chance(prob):
                value = self._value(model, key)
                if value not in ({}, [], ""):
                    settings[key] = value

    def _information(self) -> dict[str, Any]:
        blurs = []
        for _ in range(int(self.drawer.rng.integers(1, 4))):
            what = self.drawer.some(("mask", "noise", "dropout", "delay", "scope"), 2)
            blur = {key: self._value("Blur", key) for key in (*what, "features")}
            if "mask" in blur:
                blur["mask"] = True
            if blur.get("scope") == "public":
                blur["scope"] = self.drawer.pick(("private", "hidden", "public"))
            self._maybe("Blur", blur, "roles", prob=0.2)
            blurs.append(blur)
        made: dict[str, Any] = {"blurs": blurs}
        hides = any(set(blur) & {"mask", "dropout", "delay"} for blur in blurs)
        if hides and self.drawer.chance(0.4):
            made["validity"] = True
        return made

    def _temporal(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        self._maybe("Temporal", made, "history", "latency", prob=0.4)
        if self.words.held:
            self._maybe("Temporal", made, "effects", prob=0.6)
        if self.words.deeds and self.drawer.chance(0.6):
            made["reputation"] = self._regard("Reputation")
            self._maybe("Reputation", made["reputation"], "shown")
            if self.words.effects:
                self._maybe("Reputation", made["reputation"], "effects")
        if self.words.dealings and self.drawer.chance(0.5):
            made["trust"] = self._regard("Regard")
        return made

    def _regard(self, model: str) -> dict[str, Any]:
        made = {"weights": self._value(model, "weights")}
        self._maybe(model, made, "decay")
        if self.words.links:
            self._maybe(model, made, "links")
        return made

    def _hierarchy(self) -> dict[str, Any]:
        agents = self.words.agents
        made: dict[str, Any] = {"groups": self.drawer.pick(("role", "size", "list"))}
        if agents < 2:
            return {}
        if made["groups"] == "size":
            made["size"] = int(self.drawer.rng.integers(2, agents + 1))
        if made["groups"] == "list":
            order = [int(a) for a in self.drawer.rng.permutation(agents)]
            cut = int(self.drawer.rng.integers(1, agents))
            made["members"] = [order[:cut], order[cut:]] if self.drawer.chance(0.7) else [order]
        if self.words.private:
            self._maybe("Hierarchy", made, "share")
        if self.words.held:
            self._maybe("Hierarchy", made, "pool", "store")
        return made

    def _interaction(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        agents, rng = self.words.agents, self.drawer.rng
        if self.words.ordered and self.drawer.chance(0.5):
            ways = ["rotation", "lottery", "reputation"] + ["split"] * self.words.divisible
            made["contention"] = self.drawer.pick(ways + ["need"] * bool(self.words.held))
            if made["contention"] == "need":
                made["need"] = self._value("Interaction", "need")
        if self.words.held and agents > 1 and self.drawer.chance(0.5):
            made["externalities"] = self._value("Interaction", "externalities")
        if agents > 1 and self.drawer.chance(0.6):
            made["mixing"] = self.drawer.pick(("shared", "group", "matrix", "rivalry"))
        if made.get("mixing") == "matrix":
            weights = rng.uniform(-2.0, 2.0, (agents, agents)) * (
                rng.random((agents, agents)) < 0.7
            )
            made["matrix"] = [[float(w) for w in row] for row in weights]
        if made.get("mixing") == "rivalry":
            self._maybe("Interaction", made, "rivalry", prob=0.8)
        if self.drawer.chance(0.4):
            made["timing"] = self.drawer.pick(("sparse", "delayed"))
            made["period"] = int(self.drawer.pick((2, 5, 16, int(rng.integers(2, 1000)))))
        return made

    def _power(self) -> dict[str, Any]:
        names = ["upper", "lower"][: min(2, self.words.agents)]
        castes = {}
        for name in names:
            caste: dict[str, Any] = {}
            self._maybe("Caste", caste, "permissions", "hidden", prob=0.4)
            if self.words.ordered:
                self._maybe("Caste", caste, "priority")
            if self.words.effects:
                self._maybe("Caste", caste, "effects")
            castes[name] = caste
        role = self.drawer.pick(["*", *self.words.role_names])
        made: dict[str, Any] = {"castes": castes, "assign": {role: self.drawer.some(names)}}
        if len(names) == 2:
            made["assign"] = {role: names}
        if self.words.links and self.drawer.chance(0.5):
            targets = [*self.words.links, *self.words.fields]
            rows = {to: self.drawer.some(targets) for to in self.drawer.some(names)}
            made["matrix"] = {self.drawer.pick(names): rows}
        return made

    def _incentives(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        self._maybe("Incentives", made, "costs", "risk", "opportunity", prob=0.4)
        if self.words.deeds and self.drawer.chance(0.5):
            made["penalties"] = self._value("Incentives", "penalties")
            self._maybe("Incentives", made, "max_penalty", "delay")
        for name, risk in made.get("risk", {}).items():
            made["risk"][name] = self._risk(risk)
        return made

    def _risk(self, risk: dict[str, Any]) -> dict[str, Any]:
        """Draw a chance of being caught with a fine, or of failing."""
        kept = {key: value for key, value in risk.items() if key == "fail"}
        if not kept or self.drawer.chance(0.5):
            kept["caught"] = float(self.drawer.rng.uniform(0.05, 1.0))
            kept["fine"] = float(10 ** self.drawer.rng.uniform(-2, 3))
        return kept

    def _uncertainty(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        if self.words.columns:
            self._maybe("Uncertainty", made, "shocks", prob=0.7)
        if self.words.tunables:
            self._maybe("Uncertainty", made, "drift", "adaptation")
        for one, other in (("drift", "adaptation"),):
            for name in set(made.get(one, {})) & set(made.get(other, {})):
                del made[other][name]
        return {key: value for key, value in made.items() if value}

    def _join(self, drawn: dict[str, dict[str, Any]]) -> None:
        """Draw what a setting of one layer needs of another."""
        interaction, temporal = drawn.get("interaction", {}), drawn.setdefault("temporal", {})
        incentives, power = drawn.get("incentives", {}), drawn.get("power", {})
        groups = "hierarchy" in drawn and "groups" in drawn["hierarchy"]
        needs_groups = interaction.get("mixing") == "group" or any(
            entry.get("to") == "group" for entry in interaction.get("externalities", {}).values()
        )
        if needs_groups and not groups and self.words.agents > 1:
            size = int(self.drawer.rng.integers(2, self.words.agents + 1))
            drawn["hierarchy"] = {"groups": "size", "size": size}
        reputed = "reputation" in temporal
        if interaction.get("contention") == "reputation" and not reputed and self.words.deeds:
            temporal["reputation"] = self._regard("Reputation")
        bans = any(c.get("permissions", ["*"]) != ["*"] for c in power.get("castes", {}).values())
        if incentives and (bans or self.drawer.chance(0.1)):
            names = self.drawer.some(self.words.deliberate, 2)
            incentives["soften"] = {n: float(10 ** self.drawer.rng.uniform(-2, 2)) for n in names}
        if incentives and self.drawer.chance(0.3) and self.words.deeds:
            incentives["reputation"] = self._value("Incentives", "reputation")
            if "reputation" not in temporal:
                temporal["reputation"] = self._regard("Reputation")
