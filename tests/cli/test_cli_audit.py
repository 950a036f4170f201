"""The `audit` command: leaks are listed and fail."""

from types import SimpleNamespace

COUNTS = "12 checks (observation 7, info 3, mask 2)"


def report(*leaks, layers=()):
    checks = {"obs": 7, "info": 3, "mask": 2}
    made = {"preset": "commons/default", "checks": checks, "num_checks": 12}
    return SimpleNamespace(**made, leaks=list(leaks), layers=layers)


def test_audit_passes_on_what_it_was_asked(cli, testing):
    def audit(preset, **options):
        testing.calls.append((preset, options))
        return report(layers=("layers.power",) if options["layers"] else ())

    testing.audit = audit
    result = cli("audit commons --states 3 --seed 5 --set core.max_steps=7 --archetype fog")
    options = {"states": 3, "seed": 5, "overrides": {"core.max_steps": 7}, "archetypes": ["fog"]}
    assert testing.calls == [("commons", options | {"layers": k}) for k in (0, 1)]
    assert result.status == 0
    assert result.out.splitlines() == [
        f"commons/default: {COUNTS}, no leaks",
        f"commons/default with layers.power: {COUNTS}, no leaks",
    ]


def test_audit_lists_leaks_and_fails(cli, testing):
    leak = SimpleNamespace(text="harvester.stock depends on growth of all")
    testing.audit = lambda preset, **options: report(leak)
    result = cli("audit commons --layers 0")
    assert result.status == 1
    assert result.out.splitlines() == [
        "leak: harvester.stock depends on growth of all",
        f"commons/default: {COUNTS}, 1 leak",
    ]
