"""Write the page about an evaluation, a tournament or a sweep."""

from mesocosm.evaluation.pages.evaluate import evaluate_sections
from mesocosm.evaluation.pages.shared import (
    entrants_of,
    fact_sections,
    forfeits_section,
    lives_sections,
)
from mesocosm.evaluation.pages.source import Source
from mesocosm.evaluation.pages.sweep import sweep_sections
from mesocosm.evaluation.pages.tournament import tournament_sections
from mesocosm.evaluation.report.document import heading, write_document

KINDS = {
    "evaluate": evaluate_sections,
    "tournament": tournament_sections,
    "sweep": sweep_sections,
}
FORMAT_NAMES = {
    "round-robin": "a round robin",
    "swiss": "a Swiss tournament",
    "population": "a population of two policies",
    "best-response": "how far policies can be exploited",
}


def write_evaluation(source: Source) -> str:
    """Write the page."""
    about = source.about
    title = f"{about['preset']}: {_what(source)}"
    sections = [heading(title, _words(source)), *KINDS[about["kind"]](source)]
    sections.append(forfeits_section(source.tables["bout"]))
    if about["kind"] != "sweep":
        order = [row["entrant"] for row in source.tables.get("standing", [])]
        sections += lives_sections(source.tables["episode_agents"], order or entrants_of(source))
    return write_document(title, [*sections, *fact_sections(source)])


def _what(source: Source) -> str:
    kind = source.about["kind"]
    if kind == "tournament":
        form = str((source.plan.get("more") or {}).get("format"))
        return FORMAT_NAMES.get(form, "a tournament")
    return "a sweep" if kind == "sweep" else "an evaluation"


def _words(source: Source) -> str:
    plan, bouts = source.plan, source.tables["bout"]
    presets = list(dict.fromkeys(row["preset"] for row in bouts))
    where = "" if len(presets) < 2 else f" on each of {len(presets)} settings or presets"
    names = entrants_of(source)
    who = f"{len(names)} {'entrant' if len(names) == 1 else 'entrants'}, " if names else ""
    episodes = int(plan.get("episodes", 0))
    return (
        f"{who}{len(bouts):,} bouts of the same {episodes:,} episodes{where}, seed "
        f"{plan.get('seed')}: episodes that no training has met, the same for everybody."
    )
