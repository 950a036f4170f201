import yaml


def test_variant_of_a_mission_is_put_on_a_preset(cli):
    shown = cli("config show mettagrid/manual -v talk")
    assert shown.status == 0, shown.err
    core = yaml.safe_load(shown.out)["core"]
    assert core["talk"]["enabled"]
    assert core["actions"]["vibes"] == []
    assert core["vibes"] == ["neutral", "happy", "sad", "angry"]
    assert "core.talk.enabled=True" in shown.out.splitlines()[0]


def test_override_goes_over_a_variant_and_the_last_variant_over_the_first(cli):
    shown = cli("config show mettagrid/talk --variant talk -v vibes --set core.talk.max_length=9")
    core = yaml.safe_load(shown.out)["core"]
    assert core["talk"] == {**core["talk"], "enabled": False, "max_length": 9}
    assert core["actions"]["vibes"] == ["default"]


def test_describe_lists_the_variants_of_a_world(cli):
    assert "talk, vibes" in cli("describe mettagrid/forage").out
    assert "mission variants" not in cli("describe commons").out


def test_unknown_variant_is_refused_with_the_known_ones(cli):
    refused = cli("config show mettagrid/manual -v tlak")
    assert refused.status == 2
    assert "no mission variant of mettagrid named 'tlak'. Did you mean 'talk'?" in refused.err
    assert "no mission variant of commons named 'talk'" in cli("run commons -v talk").err
