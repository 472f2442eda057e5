"""Two pipelines side by side, as lines, as a table, and for programs."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from errorflow.study.align.model import STEPS, Alignment, AlignRow, AlignSide, Cause

_LABELS = {step.key: step.label for step in STEPS}
# What explains less of a difference says nothing by a number.
_LITTLE = 0.01
COLUMNS = (
    *("step", "name", "tolerance", "alike", "largest_difference", "mean_difference", "share_beyond", "place"),
    *("shape_a", "shape_b", "type_a", "type_b", "cause", "explains", "remains", "note"),
)


def alignment_lines(found: Alignment) -> list[str]:
    return [*(line for row in found.rows for line in _lines(row)), "", found.text, *filter(None, _rest(found))]


def _rest(found: Alignment) -> Iterator[str]:
    yield found.reason
    yield found.advice
    yield from found.notes


def _lines(row: AlignRow) -> Iterator[str]:
    what = f"{_LABELS[row.stage]}{f' {row.name}' if row.name else ''}"
    if not row.measured:
        yield f"{what}: not compared, {row.note}"
        return
    if row.gap is None:
        yield f"{what}: A is {_shape(row.a)}, B is {_shape(row.b)}"
    else:
        how = "alike" if row.alike else "differs"
        beyond = "" if row.alike else f", {share_text(row.gap.beyond)} of the values beyond"
        yield f"{what}: {how}; largest difference {number_text(row.gap.largest)} (tolerance {row.tolerance:g}){beyond}"
    if row.cause is not None:
        yield f"  {row.cause.text[:-1]}{_how_much(row.cause)}."
    elif row.gap is not None and not row.alike and not row.note:
        yield "  Nothing that was tried explains it."
    if row.note:
        yield f"  {row.note[0].upper()}{row.note[1:]}."


def _how_much(cause: Cause) -> str:
    is_told = not cause.whole and cause.explains >= _LITTLE
    return f" ({share_text(cause.explains)} of the difference)" if is_told else ""


def number_text(value: float) -> str:
    return f"{value:.3g}"


def share_text(value: float) -> str:
    """Never 100 % where something is left, nor 0 % where there is something."""
    if 0 < value < 0.001:
        return "under 0.1 %"
    return "over 99.9 %" if 0.999 < value < 1 else f"{100 * value:.3g} %"


def _shape(side: AlignSide | None) -> str:
    return (
        "" if side is None else f"{' × '.join(map(str, side.shape)) if side.shape else 'a single value'} {side.dtype}"
    )


def alignment_csv(found: Alignment) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in found.rows:
        values = _data(row)
        table.writerow("" if values[column] is None else values[column] for column in COLUMNS)
    return out.getvalue()


def alignment_json(found: Alignment) -> str:
    data = {
        "alike": found.fault is None and any(row.measured for row in found.rows),
        "fault": found.fault,
        "text": found.text,
        "reason": found.reason,
        "advice": found.advice,
        "notes": list(found.notes),
        "rows": [_data(row) | {"keys": [] if row.cause is None else list(row.cause.keys)} for row in found.rows],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _data(row: AlignRow) -> dict[str, Any]:
    gap, cause = row.gap, row.cause
    return {
        "step": row.stage,
        "name": row.name,
        "tolerance": row.tolerance,
        "alike": row.alike if row.measured else None,
        "largest_difference": None if gap is None else gap.largest,
        "mean_difference": None if gap is None else gap.mean,
        "share_beyond": None if gap is None else gap.beyond,
        "place": None if gap is None else " ".join(map(str, gap.place)),
        "shape_a": None if row.a is None else "x".join(map(str, row.a.shape)),
        "shape_b": None if row.b is None else "x".join(map(str, row.b.shape)),
        "type_a": None if row.a is None else row.a.dtype,
        "type_b": None if row.b is None else row.b.dtype,
        "cause": None if cause is None else cause.text,
        "explains": None if cause is None else cause.explains,
        "remains": None if cause is None else cause.remains,
        "note": row.note or None,
    }
