"""Turn results into tables, and keep those in the README current: `python -m benchmarks.table`."""

import json
import sys
from pathlib import Path

from mesocosm.cli.shared.output import Section, markdown, rate_text, size_text

FOLDER = Path(__file__).resolve().parent
README, RESULTS = FOLDER / "README.md", FOLDER / "results"
BEGIN, END = "<!-- generated from results: begin -->", "<!-- generated from results: end -->"
FLAT, CALL, IMPORT, WARM = 1.2, 20.0, 0.5, 2.0
CALL_PRESET = "commons/default"


def cpu_sections(result):
    """Lay out what `benchmarks.run` measured."""
    made = result["machine"]
    used = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    note = (
        f"`{result['command']}` on {result['date']}: {made['processor']}, {made['system']}, "
        f"one thread of {made['cores']} cores; {used}."
    )
    rows = requirements(result)
    if result["quick"]:
        rows, note = [(*row[:3], "-") for row in rows], f"{note} A quick run: it proves nothing."
    return [
        Section("Requirements", ("what", "required", "measured", "met"), rows, note),
        _speed(result),
        _call(result),
        _start(result),
        *_reference(result),
        _peers(result),
    ]


def requirements(result):
    """Compare the numbers with what was asked for."""
    rows = [
        (
            f"{entry['preset']}: cost per agent-step, largest batch to smallest",
            f"{1 / FLAT:.2f} to {FLAT:.2f}",
            f"{entry['cost_ratio']:.2f}",
            _met(1 / FLAT <= entry["cost_ratio"] <= FLAT),
        )
        for entry in result["presets"]
    ]
    for entry in result["presets"]:
        if entry["preset"] == CALL_PRESET:
            cost = entry["call"]["step_microseconds"]
            rows.append(_limit(f"{CALL_PRESET}: `env.step` of one env", cost, CALL, "µs"))
    imports, making = result["start"]["imports"], result["start"]["making"]
    heavy = ", ".join(imports["heavy_packages"])
    rows.append(_limit("`import mesocosm`", imports["seconds"], IMPORT, "s"))
    rows.append(("heavy packages it imports", "none", heavy or "none", _met(not heavy)))
    rows.append(_limit("first env, compiled code in the cache", making["warm_seconds"], WARM, "s"))
    return rows


def _limit(what, value, limit, unit):
    return (what, f"at most {limit:g} {unit}", f"{value:.3g} {unit}", _met(value <= limit))


def _met(is_met):
    return "yes" if is_met else "NO"


def _speed(result):
    sizes = sorted({b["num_envs"] for entry in result["presets"] for b in entry["batches"]})
    rows = []
    for entry in result["presets"]:
        rates = {b["num_envs"]: b["agent_steps_per_cpu_second"] for b in entry["batches"]}
        best = max(entry["batches"], key=lambda batch: batch["bandwidth_fraction"])
        rows.append(
            (
                entry["preset"],
                str(entry["num_agents"]),
                *(rate_text(rates[size]) if size in rates else "no memory" for size in sizes),
                f"{entry['cost_ratio']:.2f}",
                f"{best['bytes_per_agent_step']:.0f} B",
                f"{best['bandwidth_fraction']:.1%}",
            )
        )
    head = ("preset", "agents", *(f"{size:,} envs" for size in sizes))
    note = (
        "Agent-steps of living agents per CPU-second. The floor is a copy of the bytes handed out "
        f"at {size_text(result['copy_bytes_per_second'])}/s."
    )
    tail = ("cost ratio", "handed out per agent-step", "of copy speed")
    return Section("Speed", (*head, *tail), rows, note)


def _call(result):
    head = ("preset", "`env.step`, one env", "empty call", "bytes per env", "of which events")
    rows = [
        (
            entry["preset"],
            f"{entry['call']['step_microseconds']:.1f} µs",
            f"{entry['call']['empty_microseconds']:.1f} µs",
            f"{entry['memory']['bytes_per_env']:,.0f}",
            f"{entry['memory']['parts']['events']:,.0f}",
            f"{size_text(entry['memory']['peak_bytes'])} ({entry['memory']['peak_num_envs']:,})",
        )
        for entry in result["presets"]
    ]
    return Section("One call, and memory", (*head, "process at its peak (envs)"), rows)


def _start(result):
    imports, making = result["start"]["imports"], result["start"]["making"]
    cold = making["cold_seconds"]
    rows = [
        ("`import mesocosm`", _seconds(imports["seconds"]), _seconds(imports["fastest_seconds"])),
        ("first env, nothing compiled yet", _seconds(cold), _seconds(cold)),
        (
            "first env, compiled code in the cache",
            _seconds(making["warm_seconds"]),
            _seconds(making["warm_fastest_seconds"]),
        ),
    ]
    note = "In fresh processes, after Python itself has started; a first env includes the import."
    return Section("Start", ("what", "median", "fastest"), rows, note)


def _seconds(value):
    return "not measured" if value is None else f"{value:.3g} s"


def _reference(result):
    """Show plain Python beside ours, where it was measured."""
    if "reference" not in result:
        return []
    entry = result["reference"]
    head = ("preset", "agents", "plain Python, one env", f"ours, {entry['num_envs']:,} envs")
    rates = (rate_text(entry["agent_steps_per_cpu_second"]), rate_text(entry["ours"]))
    row = (entry["preset"], str(entry["num_agents"]), *rates, f"{entry['ours_ratio']:,.0f}")
    note = (
        "The same rules and observations, one person after the other in plain Python "
        "(`benchmarks/reference.py`): agent-steps per CPU-second."
    )
    return [Section("Reference", (*head, "ratio"), [row], note)]


def _peers(result):
    head = ("peer", "what", "observation", "agent-steps per CPU-second")
    tail = ("ours, 1,024 envs", "ratio", "ours, 1 env", "ratio")
    rows = [_peer(entry) for entry in result["peers"]]
    note = (
        "Other tasks than ours: the ratio says what an agent-step costs there and here, no more. "
        "Ours is measured right after each peer."
    )
    return Section("Peers", (*head, *tail), rows, note)


def _peer(entry):
    name = f"{entry['name']} {entry.get('version', '')}".strip()
    if entry["status"] != "measured":
        return (name, entry["what"], "-", entry["status"], "-", "-", "-", "-")
    single = (rate_text(entry["ours_single"]), f"{entry['ours_single_ratio']:.3g}")
    return (
        name,
        entry["what"],
        f"{entry['observation_bytes']} B",
        rate_text(entry["agent_steps_per_cpu_second"]),
        rate_text(entry["ours_batched"]),
        f"{entry['ours_batched_ratio']:.3g}",
        *(single if entry["num_envs"] == 1 else ("-", "-")),
    )


def gpu_sections(result):
    """Lay out what `benchmarks/gpu.py` measured."""
    compared = sum(entry["outputs_compared"] for entry in result["equality"])
    different = sum(entry["num_different"] for entry in result["equality"])
    presets = len({entry["preset"] for entry in result["equality"]})
    rate, *speeds = result["speed"]
    rows = [
        (
            entry["preset"],
            f"{entry['num_envs']:,}",
            f"{entry['us_per_step']:,.1f} µs",
            rate_text(entry["agent_steps_per_s"]),
            f"{entry['bytes_out_per_agent_step']:.0f} B",
            f"{entry['fraction_of_copy_rate_for_outputs']:.2%}",
        )
        for entry in speeds
    ]
    note = (
        f"{result['device']}: {compared:,} outputs of cpu and cuda compared over {presets} presets "
        f"and three ways to reset, {different:,} different. Copy speed there: "
        f"{size_text(rate['copy_bytes_per_s'])}/s, read plus written."
    )
    head = ("preset", "envs", "one step", "agent-steps/s", "handed out per agent-step")
    compiled = [
        (entry["preset"], f"{entry['seconds']:.1f} s", f"{entry['warm_seconds']:.1f} s")
        for entry in result["compile"]
    ]
    about = "From an empty cache, and with what an earlier process compiled; imports included."
    return [
        Section("GPU", (*head, "of copy speed"), rows, note),
        Section("Kernels", ("preset", "compiled", "found"), compiled, about),
    ]


def tables():
    """Write every result file that there is as Markdown."""
    sections = []
    for name, layout in (("cpu", cpu_sections), ("gpu", gpu_sections)):
        path = RESULTS / f"{name}.json"
        if path.is_file():
            sections += layout(json.loads(path.read_text(encoding="utf-8")))
    return markdown(sections)


def current(text):
    """Give the README's text with its tables as the results say."""
    before, rest = text.split(BEGIN, 1)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.split(END, 1)[1]}"


def main(arguments):
    """Rewrite the README; with `--check`, only say whether it is current."""
    text = README.read_text(encoding="utf-8")
    wanted = current(text)
    if "--check" in arguments:
        if text != wanted:
            print("benchmarks/README.md is out of date: run python -m benchmarks.table")
        return int(text != wanted)
    README.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
