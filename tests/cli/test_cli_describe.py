import json
import re

import mesocosm as meso


def test_describe_shows_every_feature_term_event_reason_and_field(cli):
    result = cli("describe commons/wardens")
    spec = meso.config_spec(meso.load_config("commons/wardens"))
    named = [*spec.reasons, *spec.events, *spec.fields, *spec.tunables, *spec.effects]
    for role in spec.roles.values():
        named += [*role.observation.features, *role.info.features, *role.terms]
        named += [*role.action.choices, *role.action.levels]
    assert result.status == 0
    assert [entry.name for entry in named if entry.name not in result.out] == []


def test_describe_names_turns_and_the_handling_of_invalid_actions(cli):
    out = cli("describe commons --set core.turns=fixed --set core.invalid=penalty").out
    assert "fixed: agents act one after the other" in out
    assert "penalty: the agent does nothing and pays 0.1 reward" in out


def test_describe_marks_options_that_the_config_does_not_permit(cli):
    out = cli("describe commons --set agents.roles.harvester.permissions=[deal.give,target.*]").out
    assert "none give (sanction)" in out


def test_describe_as_json_gives_offsets_that_add_up(cli):
    data = json.loads(cli("describe commons --json").out)
    seen = data["roles"]["harvester"]["observation"]
    assert sum(row["size"] for row in seen["features"]) == seen["size"] == 13
    assert seen["features"][2]["reads"] == ["wealth:self"]


def test_describe_follows_overrides(cli):
    data = json.loads(cli("describe commons --json --set core.num_agents=9").out)
    assert data["num_agents"] == 9


def test_piped_tables_have_no_trailing_blanks(cli):
    lines = cli("describe commons").out.splitlines()
    assert lines == [line.rstrip() for line in lines]


def test_describe_leaves_out_features_without_numbers(cli):
    told = json.loads(cli("describe townlet/L0 --json").out)["roles"]["resident"]
    rows = [*told["observation"]["features"], *told["info"]["features"]]
    empty = {row["name"] for row in rows if not row["size"]}
    assert empty
    text = cli("describe townlet/L0 --markdown").out
    shown = {cells[3].strip() for line in text.splitlines() if len(cells := line.split("|")) == 10}
    assert {row["name"] for row in rows if row["size"]} <= shown
    assert not shown & empty


def test_describe_says_what_masks_read(cli):
    town = cli("describe townlet/L8").out
    assert re.search(r"act +INTERACT +position:self affordance_position:all hour:all", town)
    assert re.search(r"act +SET_COMM_CHANNEL +nothing", town)
    assert re.search(r"act +others +position:self", town)
    table = cli("describe commons --markdown").out.partition("### harvester: mask")[2]
    assert "| deal | all | seat:visible alive:visible wealth:self |" in table
    parts = json.loads(cli("describe commons --json").out)["roles"]["harvester"]["action"]["parts"]
    assert parts[0]["reads"] == ["seat:visible", "alive:visible", "wealth:self"]


def test_describe_shows_no_mask_of_a_part_without_one(cli):
    table = cli("describe commons --markdown").out.partition("### harvester: mask")[2]
    assert "| effort |" not in table.partition("###")[0]
