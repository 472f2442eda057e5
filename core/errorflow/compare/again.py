"""A comparison after a change of the match: what stayed the same is not measured again."""

from errorflow.compare.crew import Crew
from errorflow.compare.model import Comparison, Row
from errorflow.compare.options import Options
from errorflow.compare.pairs import crew_for
from errorflow.compare.work import rows_of
from errorflow.match.model import Match, Pair
from errorflow.progress import SILENT, Progress


def remeasure(
    comparison: Comparison,
    old: Match,
    new: Match,
    options: Options | None = None,
    progress: Progress = SILENT,
    *,
    crew: Crew | None = None,
) -> Comparison:
    """What measuring all of `new` would give, with the rows of pairs that `old` has too taken from its comparison."""
    options = Options() if options is None else options
    known = known_rows(comparison, old, new)
    if crew is None:
        missing = tuple(pair for number, pair in enumerate(new.pairs) if number not in known)
        crew = crew_for(Match(missing), apart=bool(options.custom))
    return Comparison(tuple(rows_of(new.pairs, options, crew, known=known, progress=progress)))


def known_rows(comparison: Comparison, old: Match, new: Match) -> dict[int, Row]:
    """By their numbers in `new`, the rows of the pairs that did not change."""
    rows: dict[str, list[tuple[Pair, Row]]] = {}
    for pair, row in zip(old.pairs, comparison.rows, strict=True):
        rows.setdefault(pair.tensor, []).append((pair, row))
    known: dict[int, Row] = {}
    for number, pair in enumerate(new.pairs):
        found = [row for other, row in rows.get(pair.tensor, ()) if other is pair or other == pair]
        if found:
            known[number] = found[0]
    return known
