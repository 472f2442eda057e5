"""What is told above a ranking: how far it is, what it is about, and where single parts do not add up."""

from collections.abc import Iterator

from errorflow.study.rank.model import Ranking
from errorflow_viewer.document.state import Coupled

WAITS = "The ranking begins as soon as the simulation is there."
OLDER = "This is about the plan before: rank again to know it for the one on view."
NO_SIMULATION = "Nothing is simulated: the ranking is what was found out before."
MEASURING = "What promises most is measured first: the list begins as soon as there are numbers."
WILL_BE = "How much each unit, tensor or weight alone harms the outputs is listed here, the worst first."


def told(
    ranking: Ranking | None,
    *,
    waits: bool,
    busy: bool,
    simulated: bool,
    is_of_plan: bool,
    coupled: Coupled | None = None,
) -> str:
    """A line for each thing."""
    lines = [" ".join(_told(ranking, waits, busy, simulated, is_of_plan))]
    if ranking is not None and not busy:
        lines += interaction(ranking, coupled)
    return "\n".join(line for line in lines if line)


def interaction(ranking: Ranking, coupled: Coupled | None) -> list[str]:
    """Where single parts do not add up to what all do, and which pairs show it."""
    from errorflow.report.pairs import interaction_lines

    pairs = None if coupled is None or coupled.ranking is not ranking else coupled.pairs
    return list(interaction_lines(ranking, pairs)) if ranking.complete else []


def _told(ranking: Ranking | None, waits: bool, busy: bool, simulated: bool, is_of_plan: bool) -> Iterator[str]:
    if waits:
        yield WAITS
    if ranking is None:
        return
    if not simulated:
        yield NO_SIMULATION
    elif not is_of_plan and not busy:
        yield OLDER
    if not ranking.complete:
        yield progress(ranking)


def progress(ranking: Ranking) -> str:
    """How far it is: parts are all measured on one sample before others follow."""
    done = ranking.done[ranking.question.measures[0]]
    known, count = int(done.any(axis=1).sum()), len(ranking.parts)
    if known < count:
        return f"{known:,} of {count:,} are measured; the others stand in the order of what is expected of them."
    share = f"{ranking.share_done:.0%}".replace("%", " %")
    return f"All {count:,} are measured; more samples follow ({share} done)."
