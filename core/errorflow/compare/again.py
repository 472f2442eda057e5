"""What is known of a comparison after a change of its match: what stayed the same is not measured again."""

from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison, Row


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
