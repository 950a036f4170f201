"""The `audit` command: leaks are listed and fail."""

from types import SimpleNamespace


def report(*leaks):
    return SimpleNamespace(preset="commons/default", num_checks=12, leaks=list(leaks))


def test_audit_passes_on_what_it_was_asked(cli, testing):
    def audit(preset, **options):
        testing.calls.append((preset, options))
        return report()

    testing.audit = audit
    result = cli("audit commons --states 3 --seed 5 --set core.max_steps=7 --archetype fog")
    options = {"states": 3, "seed": 5, "overrides": {"core.max_steps": 7}, "archetypes": ["fog"]}
    assert testing.calls == [("commons", options)]
    assert (result.status, result.out) == (0, "commons/default: 12 checks, no leaks\n")


def test_audit_lists_leaks_and_fails(cli, testing):
    leak = SimpleNamespace(text="harvester.stock depends on growth of all")
    testing.audit = lambda preset, **options: report(leak)
    result = cli("audit commons")
    assert result.status == 1
    assert result.out.splitlines() == [
        "leak: harvester.stock depends on growth of all",
        "commons/default: 12 checks, 1 leak",
    ]
