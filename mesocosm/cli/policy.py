"""The `policy` commands: what a bundle is, and its network in another format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mesocosm.cli.shared.options import AsJson
from mesocosm.cli.shared.output import print_json, print_table, size_text
from mesocosm.learning.policies.load import open_bundle

if TYPE_CHECKING:
    from mesocosm.learning.bundles.bundle import Bundle

BundlePath = Annotated[Path, typer.Argument(metavar="FILE", help="A bundle, FILE.mesop.")]
MOST_NAMES = 12


def inspect(file: BundlePath, as_json: AsJson = False) -> None:
    """Say what a policy bundle plays, how it was trained, and what it achieved."""
    bundle = open_bundle(file).bundle
    data = describe_bundle(bundle)
    if as_json:
        print_json(data)
    else:
        print_table(("", ""), [tuple(map(_plain, row)) for row in _rows(data)])


def _plain(text: str) -> str:
    """Show what would steer the terminal as what it is."""
    return "".join(x if x.isprintable() else x.encode("unicode_escape").decode() for x in text)


def describe_bundle(bundle: "Bundle") -> dict[str, Any]:
    """Give all that a bundle says of itself as plain data."""
    return {
        "path": str(bundle.path),
        "sha256": bundle.sha256,
        "bytes": bundle.num_bytes,
        "weights": bundle.num_weights,
        **bundle.card.model_dump(mode="json", by_alias=True),
    }


def _rows(data: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("role", f"{data['role']} of {data['preset']} ({data['world']} {data['world_version']})"),
        ("config hash", data["config_hash"]),
        ("behaviour hash", data["behaviour_hash"]),
        ("sees", _observation(data["observation"])),
        *[(f"does {part['name']}", _options(part)) for part in data["action"]["choices"]],
        *[(f"does {p['name']}", f"{p['low']:g}..{p['high']:g}") for p in data["action"]["levels"]],
        ("network", _settings(data["network"])),
        ("critic read", ", ".join(data["learning"].get("truth", ())) or "no truth"),
        ("trained for", f"{data['agent_steps']:,} agent-steps, seed {data['seed']}"),
        ("learning", _settings(data["learning"])),
        *[(f"metric {name}", _number(value)) for name, value in data["metrics"].items()],
        ("made by", data["command"] or "-"),
        ("versions", _settings(data["versions"])),
        ("size", f"{size_text(data['bytes'])}, {data['weights']:,} weights"),
        ("sha256", data["sha256"]),
    ]
    return rows


def _observation(card: dict[str, Any]) -> str:
    shape = " x ".join(map(str, card["shape"]))
    if card["tokens"] is not None:
        names = [kind["name"] for kind in card["tokens"]["kinds"]]
        return f"{shape} {card['dtype']}: tokens of {_few(names)}"
    names = [f["name"] for f in card["features"] if 0 not in f["shape"]]
    return f"{shape} {card['dtype']}: {_few(names)}"


def _options(part: dict[str, Any]) -> str:
    return _few([o for k, o in enumerate(part["options"]) if k not in part["forbidden"]])


def _few(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _settings(data: dict[str, Any]) -> str:
    plain = {key: value for key, value in data.items() if not isinstance(value, dict)}
    return ", ".join(f"{key} {_number(value)}" for key, value in plain.items())


def _number(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_number, value)) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def export(
    file: BundlePath,
    onnx: Annotated[Path, typer.Option("--onnx", help="The ONNX file to write.")],
) -> None:
    """Write a bundle's network as ONNX, with its memory as an input and an output."""
    bundle = open_bundle(file).bundle
    from mesocosm.learning.bundles.onnx_export import export_onnx

    inputs, outputs = export_onnx(bundle, onnx)
    print(f"{onnx}: {', '.join(inputs)} -> {', '.join(outputs)}")
