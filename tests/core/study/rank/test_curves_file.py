"""Curves in a file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_values import INF, NAN, curve_of, curves_of
from errorflow.base.errors import ErrorflowError, FormatError, WrongFileError
from errorflow.study.rank.curves_file import MARK, SavedCurves, curves_text, parse_curves, read_curves, write_curves


def _saved() -> SavedCurves:
    line = curve_of([[0.5, NAN], [INF, -INF], [0.1, 0.2]])
    line.done[2, 1] = False
    line.values[0, 2, 1] = NAN
    return SavedCurves(
        curves_of(line, curve_of([[1.0, 2.0]] * 3, "marks", "impact", "y", "marks", 1)), {"model": "m.onnx"}
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    saved, path = _saved(), tmp_path / "curves.json"
    write_curves(path, saved)
    found = read_curves(path)
    assert found.about == saved.about
    assert (found.curves.points, found.curves.plan) == (saved.curves.points, saved.curves.plan)
    assert found.curves.samples == saved.curves.samples
    for one, other in zip(found.curves.curves, saved.curves.curves, strict=True):
        assert (one.label, one.measure, one.output, one.look, one.start) == (
            *(other.label, other.measure, other.output, other.look),
            other.start,
        )
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.done, other.done)


def _rows() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(curves_text(_saved()))
    return found


def _without(key: str) -> dict[str, Any]:
    return {name: value for name, value in _rows().items() if name != key}


def _with_curve(**change: Any) -> dict[str, Any]:
    rows = _rows()
    rows["curves"][0] |= change
    return rows


@pytest.mark.parametrize(
    "rows",
    [
        _without("plan"),
        _without("kind"),
        _without("points"),
        _rows() | {"kind": "knee"},
        _rows() | {"metrics": ["psnr"]},
        _rows() | {"metrics": ["cosine", "sqnr"]},
        _rows() | {"samples": [0, -1]},
        _rows() | {"samples": [0]},
        _rows() | {"to": 3},
        _rows() | {"to": True},
        _rows() | {"more": 1},
        _rows() | {"points": _rows()["points"][:2]},
        _with_curve(values=[]),
        _with_curve(values=[[[1.0, 2.0]] * 4]),
        _with_curve(values=[[[1.0, 2.0], [1.0], [1.0, 2.0, 3.0]]]),
        _with_curve(values=[[["much", 2.0]] * 3]),
        _with_curve(measure="node"),
        _with_curve(look="bars"),
    ],
)
def test_what_is_odd_is_refused(rows: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        parse_curves(json.dumps(rows).encode())


@pytest.mark.parametrize("rows", [{}, _without(MARK)])
def test_what_does_not_call_itself_curves_is_another_file(rows: dict[str, Any]) -> None:
    with pytest.raises(WrongFileError, match="is no file of curves"):
        parse_curves(json.dumps(rows).encode())


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_rubbish_is_refused(data: bytes) -> None:
    with pytest.raises(ErrorflowError):
        parse_curves(data)


def test_what_is_nested_deeply_is_refused() -> None:
    with pytest.raises(WrongFileError):
        parse_curves(b'{"' + MARK.encode() + b'": 1, "points": ' + b"[" * 100_000)
