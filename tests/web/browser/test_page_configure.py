"""Configure: a form of every field, checked by the server, and written as what it means."""

import re
import shlex

import pytest
from playwright.sync_api import expect

import mesocosm
from mesocosm.build import load_config
from mesocosm.cli.app import status
from mesocosm.config.identity import config_hash
from mesocosm.config.source import parse_yaml
from mesocosm.core.layer import LAYERS

WORLDS = ("commons", "island", "mettagrid", "townlet")
DEFAULTS = {world: mesocosm.load_config(world).identity.preset for world in WORLDS}
BOUNDS = {  # a field of each world with its own limits
    "commons": ("core.num_agents", "99", "must be between 2 and 64, got 99"),
    "island": ("core.max_steps", "-1", r"must be .*, got -1"),
    "mettagrid": ("core.num_agents", "0", "must be between 1 and 4096, got 0"),
    "townlet": ("core.grid_size", "1", "must be between 2 and 128, got 1"),
}


def field_of(page, path):
    return page.locator(f'[data-path="{path}"]')


def open_editor(visitor, world):
    page = visitor.open(f"configure/{world}/{DEFAULTS[world]}")
    page.locator(".verdict-valid").wait_for()
    return page


def fill(page, path, text):
    """Find a field by the filter, and type into it."""
    page.get_by_label("Find a field").fill(path)
    field_of(page, path).locator("input[type=text]").fill(text)


def settled_hash(page):
    """Wait until the server has said that the config is valid; give its hash."""
    page.locator(".verdict-valid[data-fresh=yes]").wait_for()
    return page.locator("[data-hash]").get_attribute("data-hash")


def copied(page, way):
    """Copy the config in one of its ways."""
    page.get_by_role("button", name=way, exact=True).click()
    page.get_by_role("button", name=f"Copy {way}").click()
    page.get_by_role("button", name="Copied").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def follow(root, schema):
    """Follow references, and leave out the choice of nothing; say whether there was one."""
    while "$ref" in schema:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]] | beside
    options = schema.get("anyOf", [])
    others = [option for option in options if option.get("type") != "null"]
    if len(others) == 1 and len(options) == 2:
        return follow(root, others[0])[0], True
    return schema, False


def paths_of(root, schema, value, path):
    """List the paths of all fields that a form of this value must have."""
    plain, nullable = follow(root, schema)
    found = [path] if path else []
    if nullable and value is None:
        return found
    lead = f"{path}." if path else ""
    items = follow(root, plain.get("items", {}))[0]
    if "properties" in plain:
        inner = [(key, part, (value or {}).get(key)) for key, part in plain["properties"].items()]
    elif isinstance(plain.get("additionalProperties"), dict):
        inner = [(key, plain["additionalProperties"], own) for key, own in (value or {}).items()]
    elif "properties" in items:
        inner = [(str(k), plain["items"], own) for k, own in enumerate(value or [])]
    else:
        inner = []
    return found + [p for key, part, own in inner for p in paths_of(root, part, own, lead + key)]


@pytest.mark.parametrize("world", WORLDS)
def test_every_field_of_the_schema_is_reachable(server, visit, world):
    visitor = visit(server)
    page = open_editor(visitor, world)
    root = server.get(f"worlds/{world}/schema")
    config = server.post("configs/validate", {"preset": f"{world}/{DEFAULTS[world]}"})["config"]
    wanted = {p for p in paths_of(root, root, config, "") if p != "archetypes"}
    page.get_by_role("button", name="Open all").click()
    page.wait_for_function(
        "count => document.querySelectorAll('[data-path]').length >= count", arg=len(wanted)
    )
    shown = page.evaluate("[...document.querySelectorAll('[data-path]')].map(e => e.dataset.path)")
    assert wanted == set(shown)
    assert len(shown) == len(wanted)
    unnamed = "[...document.querySelectorAll('.form :is(input, select, textarea)')]"
    assert page.evaluate(f"{unnamed}.filter(e => !e.labels.length && !e.ariaLabel).length") == 0


@pytest.mark.parametrize("world", WORLDS)
def test_refused_value_shows_its_message_at_its_field(server, visit, world):
    visitor = visit(server, theme="dark" if world == "island" else "light")
    page = open_editor(visitor, world)
    path, text, message = BOUNDS[world]
    for typed, said in ((text, message), ("abc", "must be an integer, got 'abc'")):
        fill(page, path, typed)
        expect(field_of(page, path).locator(".field-problem")).to_have_text(re.compile(said))
        expect(field_of(page, path).locator("input")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    field_of(page, path).get_by_role("button", name=f"Take back {path}").click()
    page.get_by_label("Find a field").fill("interaction.contention")
    refused = "layers.interaction.contention"
    field_of(page, refused).locator("select").select_option("reputation")
    page.locator('[data-dial="interaction"] input').fill("1")
    expect(field_of(page, refused).locator(".field-problem")).to_be_visible()
    page.get_by_label("Find a field").fill("")
    page.locator(".verdict-refused").get_by_role("button", name=refused).click()
    expect(field_of(page, refused).locator("select")).to_be_focused()
    assert visitor.faults() == []
    visitor.picture(world)


@pytest.mark.parametrize("world", WORLDS)
def test_copied_config_has_the_same_hash(server, visit, world, capsys, monkeypatch):
    page = open_editor(visit(server), world)
    before = settled_hash(page)
    fill(page, "core.max_steps", "123")
    fill(page, "identity.seed", "7")
    page.get_by_label("Find a field").fill("instrumentation.step.enabled")
    field_of(page, "instrumentation.step.enabled").get_by_role("checkbox").check()
    page.get_by_role("button", name=re.compile("^fog ")).click()
    expect(page.locator('[data-change="core.max_steps"]')).to_contain_text("123")
    expect(page.locator('[data-change="layers.information.intensity"]')).to_contain_text("by arch")
    now = settled_hash(page)
    assert now != before
    words = shlex.split(copied(page, "CLI"))
    assert words[:3] == ["mesocosm", "run", f"{world}/{DEFAULTS[world]}"]
    capsys.readouterr()
    assert status(["config", "hash", *words[2:]]) == 0
    assert capsys.readouterr().out.strip() == now
    assert config_hash(load_config(parse_yaml(copied(page, "YAML")))) == now
    monkeypatch.setattr(mesocosm, "make", load_config)
    made = {}
    exec(copied(page, "Python"), made)  # noqa: S102 (what a person would run)
    assert config_hash(made["env"]) == now
    for row in ("core.max_steps", "identity.seed", "instrumentation.step.enabled"):
        page.locator(f'[data-change="{row}"]').get_by_role("button", name="Take back").click()
    page.get_by_role("button", name=re.compile("^fog ")).click()
    expect(page.get_by_text("Nothing differs from the preset")).to_be_visible()
    assert settled_hash(page) == before


def test_dials_say_what_they_touch(server, visit):
    page = open_editor(visit(server), "commons")
    assert page.locator("[data-dial]").count() == len(LAYERS)
    page.get_by_role("button", name=re.compile("^fog ")).click()
    dial = page.locator('[data-dial="information"]')
    expect(dial.locator("output")).to_have_text("1")
    dial.locator("input").fill("0.5")
    expect(page.locator('[data-change="layers.information.intensity"]')).to_contain_text("0.5")
    expect(dial.locator("summary")).to_have_text(re.compile(r"^\d+ things touched$"))
    dial.locator("summary").click()
    expect(dial.locator(".notes li").first).to_be_visible()
    power = page.locator('[data-dial="power"]')
    power.locator("summary").click()
    power.get_by_role("button", name="open its settings").click()
    expect(field_of(page, "layers.power").locator("summary").first).to_be_focused()


def test_archetype_that_does_not_fit_says_why(server, visit):
    page = open_editor(visit(server), "townlet")
    known = server.get("archetypes", params={"preset": "townlet/L3"})
    refused = [entry for entry in known if entry["refused"]]
    assert refused
    page.get_by_text(f"{len(refused)} more do not fit this preset").click()
    expect(page.locator(".refused .why").first).to_be_visible()


def test_variants_and_roles_follow_the_config(server, visit):
    page = open_editor(visit(server), "mettagrid")
    before = settled_hash(page)
    page.get_by_role("button", name="talk", exact=True).click()
    page.locator('[data-change="core.talk.enabled"]').wait_for()
    assert settled_hash(page) != before
    fill(page, "core.num_agents", "4")
    expect(page.locator(".role summary")).to_contain_text("4 agents (0 to 3)")


def test_run_and_train_take_the_config_over(server, visit):
    page = open_editor(visit(server), "commons")
    fill(page, "core.max_steps", "55")
    settled_hash(page)
    page.get_by_label("harvester × 6").select_option("greedy")
    page.get_by_label("seed", exact=True).last.fill("3")
    with page.expect_response(lambda answer: answer.url.endswith("/api/runs")) as asked:
        page.get_by_role("button", name="Run", exact=True).click()
    run = asked.value.json()
    page.wait_for_url(f"**/#/watch/{run['id']}")
    found = server.get(f"runs/{server.follow('runs', run['id'])}")
    assert found["config"]["core"]["max_steps"] == 55
    assert found["policies"] == {"harvester": "greedy"}
    server.post(f"runs/{run['id']}/stop")
    page.go_back()
    expect(page.locator('[data-change="core.max_steps"]')).to_contain_text("55")
    settled_hash(page)
    page.get_by_role("button", name="Train", exact=True).click()
    page.wait_for_url("**/#/train?preset=commons%2Fdefault")
    kept = page.evaluate("import('/lib/draft.js').then(({draft}) => draft.value)")
    assert kept["overrides"] == {"core.max_steps": 55}


def test_overrides_stay_sparse_in_maps_and_lists(server, visit):
    page = visit(server).open()
    made = page.evaluate(
        """async () => {
          const {setOverride, takeBack} = await import("/configure/values.js");
          const base = {core: {a: 1, list: [{x: 1}, {x: 2}], map: {b: 1, "c.d": 2}}};
          const on = (o, k, v) => setOverride(o, {base, config: base}, k, v);
          return {
            plain: on({}, ["core", "a"], 2), same: on({"core.a": 2}, ["core", "a"], 1),
            list: on({}, ["core", "list", "1", "x"], 5), entry: on({}, ["core", "map", "b"], 5),
            dotted: on({}, ["core", "map", "c.d"], 5), out: on({}, ["core", "map", "b"], undefined),
            back: takeBack({"core.map.b": 5, "core.a": 2}, {base, config: base}, ["core", "map"]),
          };
        }"""
    )
    assert made == {
        "plain": {"core.a": 2},
        "same": {},
        "list": {"core.list": [{"x": 1}, {"x": 5}]},
        "entry": {"core.map.b": 5},
        "dotted": {"core.map": {"b": 1, "c.d": 5}},
        "out": {"core.map": {"c.d": 2}},
        "back": {"core.a": 2},
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_configure_has_no_serious_fault(server, visit, size, theme):
    world = {"wide": "commons", "narrow": "townlet"}[size]
    visitor = visit(server, size=size, theme=theme)
    page = open_editor(visitor, world)
    page.get_by_role("button", name=re.compile("^fog ")).click()
    page.locator('[data-change="layers.information.intensity"]').wait_for()
    field_of(page, "layers").locator("summary").first.click()
    page.locator(".role summary").first.click()
    assert visitor.faults() == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.picture(f"{size} {theme}")


def test_place_without_a_preset_offers_all(server, visit):
    visitor = visit(server, size="narrow")
    page = visitor.open("configure")
    expect(page.locator(".chooser li a")).to_have_count(len(server.get("presets")))
    visitor.picture("chooser")
    page.get_by_role("link", name="island/skirmish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("island / skirmish")
