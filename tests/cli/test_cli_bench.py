"""The `bench` command: what was measured, in a table."""


def test_bench_prints_what_was_measured(cli, monkeypatch):
    asked = []

    def measure(preset, num_envs, target, *, archetypes):
        asked.append((preset, num_envs, target, archetypes))
        return {
            "preset": preset, "archetypes": archetypes, "target": target,
            "num_envs": num_envs, "num_agents": 6,
            "agent_steps_per_cpu_second": 5.25e6, "agent_steps_per_second": 5e6,
            "step_microseconds": 12.5, "bytes_per_agent_step": 61.0,
            "copy_bytes_per_second": 2.0**33, "bandwidth_fraction": 0.025,
        }  # fmt: skip

    monkeypatch.setattr("mesocosm.bench.measure", measure)
    result = cli("bench commons commons/turns --num-envs 8 --target python --archetype fog")
    assert asked == [(name, 8, "python", ["fog"]) for name in ("commons", "commons/turns")]
    assert "commons/turns + fog" in result.out
    assert all(text in result.out for text in ("5.25M", "12.5", "61 B", "8.0 GiB/s", "2.5%"))
