"""Whether parts act on their own: sentences, and a table of pairs."""

import math
from collections.abc import Iterator

from errorflow.report.sensitivity import SENTENCES, number
from errorflow.report.tables import csv_text
from errorflow.study.rank.interaction import PartPairs, explained
from errorflow.study.rank.model import Ranking

# Pairs that are told.
_SHOWN = 6


def pairs_csv(ranking: Ranking, pairs: PartPairs) -> str:
    """A line per pair and output: error power of each and of both, over the whole plan's; of recovery what is gone."""
    head = ["measure", "output", "first", "second", "first_share", "second_share", "both_share", "ratio", "way"]
    return csv_text(head, _lines(ranking, pairs))


def _lines(ranking: Ranking, pairs: PartPairs) -> Iterator[list[str]]:
    for place, output in enumerate(pairs.outputs):
        whole = float(pairs.whole[place])
        for pair in pairs.pairs:
            names = (ranking.parts[number_].name for number_ in (pair.first, pair.second))
            shares = pair.powers[place] / whole if whole else pair.powers[place] * math.nan
            numbers = (*map(number, shares.tolist()), number(pair.ratio(place)))
            way = pair.way(place)
            yield [pairs.measure, output, *names, *numbers, "" if way is None else way]


def interaction_lines(ranking: Ranking, pairs: PartPairs | None) -> Iterator[str]:
    """Yields where the sum of single parts is not the whole, and the pairs that show it most."""
    for each in explained(ranking):
        if each.way is not None or not each.is_known:
            yield each.text
    if pairs is None:
        return
    ways = [(pair, place, pair.way(place)) for place in range(len(pairs.outputs)) for pair in pairs.pairs]
    odd = [
        (abs(math.log(max(pair.ratio(place), 1e-9))), pair, place, way)
        for pair, place, way in ways
        if way not in ("add up", None)
    ]
    unknown = sum(way is None for *_, way in ways)
    if unknown:
        yield f"Of {unknown:,} of {len(ways):,} pairs nothing can be said: they make values that are no numbers."
    if unknown == len(ways):
        return
    what = SENTENCES[pairs.measure].split(":")[0].lower()
    if not odd:
        yield f"Pairs of the first parts add up, by {what}."
        return
    yield f"Pairs that do not add up, by {what}: {len(odd):,} of {len(ways):,}."
    for _, pair, place, way in sorted(odd, key=lambda row: -row[0])[:_SHOWN]:
        one, two = (ranking.parts[number_].name for number_ in (pair.first, pair.second))
        yield f"  {one} and {two} {way} at {pairs.outputs[place]}: {pair.ratio(place):.2f} times the sum of each."
