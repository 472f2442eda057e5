"""Scores of models on labelled samples: a table, what the guides say of the loss, CSV and JSON."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from errorflow import __version__
from errorflow.graph.build import counted
from errorflow.report.tables import csv_text
from errorflow.study.evaluate.model import FINE, Evaluation, Hits, Scored, too_few

VERSION = 1
# Of the float model's score, as the guides have it: up to FINE nothing is wrong, up to here calibration is tuned, and
# from here on faults of the data and the settings are looked for first.
TUNE, FAULT = 0.03, 0.04
# What happens less often by chance is told as a difference.
CHANCE = 0.05
_MANY = 1000


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    yield from _table(found)
    yield ""
    for run in found.runs:
        yield from _told(found, run)
    yield from _few(found)
    yield from found.notes


def _table(found: Evaluation) -> Iterator[str]:
    rows = [_head(found), *(_row(found, run) for run in (found.original, *found.runs))]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _head(found: Evaluation) -> list[str]:
    head = [f"{found.samples:,} samples"]
    for output, hits in found.original.hits.items():
        named = f" {output}" if len(found.original.hits) > 1 else ""
        head += [f"top-{each.k}{named}" for each in hits]
        head += ["95 %", "lost", "won", "other answer"]
    return [*head, found.evaluator, "good"] if found.evaluator else head


def _row(found: Evaluation, run: Scored) -> list[str]:
    cells = [run.name]
    for output, expected in found.original.hits.items():
        hits = run.hits.get(output, ())
        if not hits:  # its note says why
            cells += [""] * (len(expected) + 4)
            continue
        low, high = hits[0].interval
        is_original = run is found.original
        cells += [f"{each.share:.2%}" for each in hits]
        cells.append(f"{low:.1%}…{high:.1%}")
        counts = (len(run.lost.get(output, ())), len(run.won.get(output, ())), run.changed.get(output, 0))
        cells += ["", "", ""] if is_original else [f"{count:,}" for count in counts]
    if found.evaluator:
        good = "" if run.judgement is None else "yes" if run.judgement.good else "no"
        cells += ["none" if math.isnan(run.value) else f"{run.value:.6g}", good]
    return cells


def loss_of(found: Evaluation, run: Scored) -> float:
    """Computes how much of the original's score is gone, as a share of it; NaN: nothing was counted."""
    if not run.hits:
        return math.nan
    before, after = (_judged(each).share for each in (found.original, run))
    return (before - after) / before if before else math.nan


def _judged(run: Scored) -> Hits:
    """Chooses the first k of the first output."""
    return next(iter(run.hits.values()))[0]


def run_lines(found: Evaluation, run: Scored) -> Iterator[str]:
    """Yields lines on one run: what it lost, what the guides say of that, and whether the samples can tell."""
    yield from _told(found, run)
    yield from _few(found)
    yield from found.notes


def _told(found: Evaluation, run: Scored) -> Iterator[str]:
    if run.note:
        yield f"{run.name}: {run.note}"
    loss = loss_of(found, run)
    if math.isnan(loss):
        return
    output = next(iter(run.hits))
    lost, won = len(run.lost[output]), len(run.won[output])
    what = f"{run.name} keeps {1 - loss:.2%} of what the original has"
    if loss > 0 and chance(lost, won) > CHANCE:
        yield f"{what}; that may be chance: {counted(lost, 'answer was', 'answers were')} lost and {won:,} won."
        return
    yield f"{what}. {advice(loss)}"


def advice(loss: float) -> str:
    """Says what the guides advise next, by the share of the score that is gone."""
    if loss <= FINE:
        return "A loss of 1 % or less is what quantization may cost."
    if loss <= TUNE:
        return (
            "At up to 3 % another calibration comes first (--method, scales per channel, 20 to 100 typical samples), "
            "then the nodes that matter: `errorflow sensitivity`, `errorflow search`."
        )
    if loss <= FAULT:
        return "Try another calibration, and check the data that calibrates: `errorflow simulate` tells what is odd."
    return (
        "At more than 4 % settings and data are looked at first: preprocessing (`errorflow align`), the samples that "
        "calibrate, the model before quantization; then one node may be to blame: `errorflow simulate`."
    )


def chance(lost: int, won: int) -> float:
    """Computes how likely as many changes as these are so uneven by chance: the exact sign test, two-sided."""
    count, least = lost + won, min(lost, won)
    if not count:
        return 1.0
    if count >= _MANY:
        return _normal(lost, won)
    tail = sum(math.comb(count, number) for number in range(least + 1))
    return min(1.0, float(2 * tail / 2**count))


def _normal(lost: int, won: int) -> float:
    """The same of so many that numbers do not hold the sum."""
    return math.erfc(max(0, abs(lost - won) - 1) / math.sqrt(2 * (lost + won)))


def _few(found: Evaluation) -> Iterator[str]:
    """Yields a warning that so few samples do not show what is looked for."""
    if not found.original.hits:
        return
    note = too_few(_judged(found.original))
    if note:
        yield note


def evaluation_csv(found: Evaluation) -> str:
    """A line per run, output and k."""
    head = (
        *("run", "output", "k", "right", "samples", "share", "low_95", "high_95", "lost", "won", "other_answer"),
        *("loss_share", "evaluator", "value", "good", "note"),
    )
    return csv_text(head, (line for run in (found.original, *found.runs) for line in _lines(found, run)))


def _lines(found: Evaluation, run: Scored) -> Iterator[Sequence[str]]:
    good = "" if run.judgement is None else "yes" if run.judgement.good else "no"
    own = [found.evaluator, _cell(run.value), good, run.note]
    for output, hits in run.hits.items():
        for each in hits:
            low, high = each.interval
            yield [
                *(run.name, output, str(each.k), str(each.right), str(each.count)),
                *(_cell(each.share), _cell(low), _cell(high)),
                *(str(len(run.lost[output])), str(len(run.won[output])), str(run.changed[output])),
                *(_cell(loss_of(found, run)), *own),
            ]
    if not run.hits:
        yield [run.name, *[""] * 11, *own]


def _cell(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.9g}"


def evaluation_json(found: Evaluation) -> str:
    runs = [_plain(found, run) for run in (found.original, *found.runs)]
    whole = {
        "errorflow": __version__,
        "kind": "errorflow evaluation",
        "version": VERSION,
        "model": found.model,
        "samples": found.samples,
        "evaluator": found.evaluator,
        "notes": list(found.notes),
        "runs": runs,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _plain(found: Evaluation, run: Scored) -> dict[str, Any]:
    loss = loss_of(found, run)
    return {
        "name": run.name,
        "outputs": {
            output: {
                "top": {
                    str(each.k): {"right": each.right, "share": each.share, "interval": each.interval} for each in hits
                },
                "lost": list(run.lost[output]),
                "won": list(run.won[output]),
                "other_answer": run.changed[output],
            }
            for output, hits in run.hits.items()
        },
        "loss_share": None if math.isnan(loss) else loss,
        "value": None if math.isnan(run.value) else run.value,
        "good": None if run.judgement is None else run.judgement.good,
        "note": run.note,
    }
