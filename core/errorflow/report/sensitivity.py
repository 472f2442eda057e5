"""Ranking as a table of all parts, and lines for people."""

import math
from collections.abc import Iterator

import numpy as np

from errorflow.graph.build import counted
from errorflow.report.tables import csv_text
from errorflow.study.rank.model import Measure, Ranking
from errorflow.study.rank.reading import Numbers, PartSpread, at_output, notes, order, own_order, shares, spread, value
from errorflow.study.rank.sureness import decided, sureness

SHOWN = 10
WORDS: dict[Measure, str] = {"impact": "impact", "recovery": "recovery"}
SENTENCES: dict[Measure, str] = {
    "impact": "Impact: what quantizing it alone does to the outputs",
    "recovery": "Recovery: what is left of the error when it alone is not quantized",
}


def ranking_csv(ranking: Ranking) -> str:
    """A line per part, the one that matters most first: its measures by each metric, and their spread."""
    question = ranking.question
    many = len(ranking.outputs) > 1
    head = [
        *("rank", "rank_from", "rank_to", "swaps_with_next", "part", "type", "nodes", "tensors"),
        *(f"{measure}_{metric}" for measure in question.measures for metric in question.metrics),
        *(
            f"{measure}_{question.metrics[0]}_{name}"
            for measure in question.measures
            for name in ("best_sample", "median_sample", "worst_sample")
        ),
        *(f"{measure}_worst_sample" for measure in question.measures),
        *(f"{measure}_rank" for measure in question.measures[1:]),
        *([f"own_{measure}" for measure in ranking.own.values] if ranking.own is not None else []),
        *([f"own_{measure}_rank" for measure in ranking.own.values] if ranking.own is not None else []),
        *(["noise_share"] if len(ranking.powers) else []),
        *(
            [f"{measure}_{question.metrics[0]}@{output}" for measure in question.measures for output in ranking.outputs]
            if many
            else []
        ),
        *("expected_share", "samples", "note"),
    ]
    return csv_text(head, _Lines(ranking).lines())


class _Lines:
    def __init__(self, ranking: Ranking) -> None:
        self._ranking = ranking
        question = ranking.question
        self._values = [value(ranking, each, metric) for each in question.measures for metric in question.metrics]
        self._spreads = [spread(ranking, each) for each in question.measures]
        self._ranks = [_ranks(order(ranking, each)) for each in question.measures[1:]]
        self._shares = shares(ranking).max(axis=1, initial=0.0)
        self._notes = notes(ranking)
        self._sure = sureness(ranking)
        own = ranking.own
        self._own = [] if own is None else list(own.values.values())
        self._own_ranks = [] if own is None else [_ranks(own_order(ranking, each)) for each in own.values]
        self._by_output = [self._at_outputs(each) for each in question.measures] if len(ranking.outputs) > 1 else []

    def lines(self) -> Iterator[list[str]]:
        ranking = self._ranking
        for rank, part in enumerate(order(ranking).tolist(), 1):
            row = ranking.parts[part]
            done = ranking.done[ranking.question.measures[0]]
            yield [
                *(
                    str(rank),
                    *self._sure_of(rank - 1, part),
                    row.name,
                    row.type,
                    ";".join(row.nodes),
                    ";".join(row.tensors),
                ),
                *(number(column[part]) for column in self._values),
                *(number(column[part]) for each in self._spreads for column in (each.best, each.median, each.worst)),
                *(_sample(each, part) for each in self._spreads),
                *(str(ranks[part]) for ranks in self._ranks),
                *(number(column[part]) for column in self._own),
                *(str(ranks[part]) for ranks in self._own_ranks),
                *([number(self._shares[part])] if len(ranking.powers) else []),
                *(number(column[part]) for columns in self._by_output for column in columns),
                *(number(ranking.expected[part]), str(int(done[part].sum())), self._notes.get(row.name, "")),
            ]

    def _sure_of(self, place: int, part: int) -> list[str]:
        if self._sure is None:
            return [""] * 3
        low, high, swaps = self._sure.low, self._sure.high, self._sure.swaps
        return [str(low[part] + 1), str(high[part] + 1), "yes" if place < len(swaps) and swaps[place] else ""]

    def _at_outputs(self, measure: Measure) -> list[list[float]]:
        """Lists each output alone."""
        return [value(at_output(self._ranking, place), measure).tolist() for place in range(len(self._ranking.outputs))]


def sensitivity_lines(ranking: Ranking, first: int = 0) -> Iterator[str]:
    """The first of each measure, with all metrics; `first`: it was to end when the order of so many is decided."""
    known = counted(len(ranking.parts), "part", "parts")
    if not ranking.complete and (count := decided(ranking, first)):
        runs = [sum(int(number(done)) for done in ranking.done.values()) for number in (np.sum, np.size)]
        yield f"The order of the first {count:,} of {known} is decided after {runs[0]:,} of {runs[1]:,} runs."
    elif not ranking.complete:
        yield f"{100 * ranking.share_done:.0f} % is known of {known}."
    for measure in ranking.question.measures:
        yield f"{SENTENCES[measure]}, on {counted(len(ranking.samples), 'sample', 'samples')}."
        yield from _first(ranking, measure)
        yield _sure(ranking, measure)
    if ranking.own is not None:
        own = ranking.own
        yield f"By your own measure, {own.label}: {own.floating:.6g} in float, {own.whole:.6g} with all quantized."
        for measure, values in own.values.items():
            best = [part for part in own_order(ranking, measure).tolist() if own.done[measure][part]][:SHOWN]
            texts = (f"{ranking.parts[part].name} {values[part]:.6g}" for part in best)
            yield f"  {WORDS[measure]}: {', '.join(texts)}"


def _first(ranking: Ranking, measure: Measure) -> Iterator[str]:
    columns = [(metric, value(ranking, measure, metric.key)) for metric in ranking.metrics]
    share = shares(ranking).max(axis=1, initial=0.0) if measure == "impact" else None
    odd, sure = notes(ranking), sureness(ranking, measure)
    known = [part for part in order(ranking, measure).tolist() if ranking.done[measure][part].any()]
    for rank, part in enumerate(known[:SHOWN], 1):
        row = ranking.parts[part]
        texts = [f"{metric.label} {metric.text(float(column[part]))}" for metric, column in columns]
        texts += [] if share is None or math.isnan(share[part]) else [f"{100 * share[part]:.0f} % of the noise"]
        note = f" ({odd[row.name]})" if odd.get(row.name) else ""
        if sure is not None and sure.low[part] < sure.high[part]:
            texts.append(f"rank {sure.low[part] + 1:,}–{sure.high[part] + 1:,}")
        yield f"  {rank}. {row.name} ({row.type}): {', '.join(texts)}{note}"


def _sure(ranking: Ranking, measure: Measure) -> str:
    sure = sureness(ranking, measure)
    if sure is None:
        return "  That is one sample: how sure the order is cannot be told."
    ranks = [f"{begin + 1}–{end + 1}" for begin, end in sure.alike(SHOWN)]
    if not ranks:
        return "  Other draws of these samples give the same order."
    return f"  Other draws of these samples swap ranks: {', '.join(ranks)}."


def number(value: float) -> str:
    """Writes a number as tables for programs have it: nothing where nothing is known."""
    return "" if math.isnan(value) else f"{value:.9g}"


def _sample(found: PartSpread, part: int) -> str:
    sample = int(found.worst_sample[part])
    return "" if sample < 0 else str(sample)


def _ranks(numbers: Numbers) -> dict[int, int]:
    return {part: rank for rank, part in enumerate(numbers.tolist(), 1)}
