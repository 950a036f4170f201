"""Optional dependencies: what is missing, and the command that installs it here."""

from pathlib import Path

from mesocosm.core.errors import MissingExtra

_HOME = Path(__file__).resolve().parents[2]  # what holds the package: a checkout, or site-packages


def install_command(extra: str = "") -> str:
    """Give the command that installs an extra: from a checkout by its path, else by name."""
    chosen = f"[{extra}]" if extra else ""
    if not (_HOME / "pyproject.toml").is_file():
        return f"pip install 'mesocosm{chosen}'"
    place = "." if Path.cwd() == _HOME else str(_HOME)
    return f"pip install -e '{place}{chosen}'"


def missing_extra(what: str, extra: str) -> MissingExtra:
    """Build the error for an optional dependency that is not installed.

    Args:
        what: Who needs what, such as "queries need DuckDB".
    """
    return MissingExtra(f"{what}: {install_command(extra)}")
