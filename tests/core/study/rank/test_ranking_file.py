"""Rankings in files: read back to the last bit, and nothing of a broken one."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError
from errorflow.study.rank.model import Ground, OwnMeasure, Ranking
from errorflow.study.rank.ranking_file import load_ranking, parse_ranking, ranking_text, save_ranking
from rankings_made import made_up, same

VALUES = st.lists(st.lists(st.floats(), min_size=2, max_size=2), min_size=1, max_size=4)


def whole() -> Ranking:
    ranking = made_up([[0.5, math.nan], [math.inf, -math.inf]])
    own = OwnMeasure(
        "top-1", True, {"impact": np.array([0.5, math.nan])}, {"impact": np.array([True, False])}, math.nan, 0.9
    )
    return replace(
        ranking,
        notes={"p0": "odd"},
        own=own,
        ground=Ground("m", "d", "r"),
        done={"impact": np.array([[True, False], [True, True]])},
        counts=np.full((1, 2), 10.0),
    )


@given(VALUES, st.booleans())
def test_everything_is_read_back(values: list[list[float]], recovery: bool) -> None:
    ranking = replace(made_up(values, recovery=recovery), counts=np.ones((1, 2)))
    assert same(parse_ranking(ranking_text(ranking)), ranking)


def test_a_file_holds_all_of_it(tmp_path: Path) -> None:
    ranking = whole()
    save_ranking(tmp_path / "ranking.json", ranking)
    found = load_ranking(tmp_path / "ranking.json")
    assert same(found, ranking)
    assert (found.ground, found.notes) == (ranking.ground, ranking.notes)
    assert found.own is not None and ranking.own is not None
    assert (found.own.label, found.own.floating) == ("top-1", 0.9)
    assert np.array_equal(found.own.values["impact"], ranking.own.values["impact"], equal_nan=True)
    assert np.array_equal(found.own.done["impact"], ranking.own.done["impact"])


def _changed(**changes: Any) -> bytes:
    rows = json.loads(ranking_text(whole()))
    rows |= changes
    return json.dumps(rows).encode()


def _question(**changes: Any) -> bytes:
    rows = json.loads(ranking_text(whole()))
    rows["question"] |= changes
    return json.dumps(rows).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff",
        b"[" * 100_000,
        _changed(kind="errorflow calibration"),
        _changed(version=2),
        _changed(powers=[1.0]),
        _changed(values={}),
        _changed(values={"impact": [1.0, 2.0, 3.0, "much"]}),
        _changed(done={"impact": ["10"]}),
        _changed(done={"impact": ["12", "00"]}),
        _changed(expected=[]),
        _changed(plan={}),
        _changed(parts=[{"name": "a", "type": "", "nodes": [], "tensors": []}] * 2),
        _question(kind="layer"),
        _question(measures=[]),
        _question(measures=["effect"]),
        _question(metrics=["beauty"]),
        _question(to=7),
    ],
)
def test_what_is_none_is_a_sentence(data: bytes) -> None:
    with pytest.raises(ErrorflowError) as caught:
        parse_ranking(data, "x.json")
    assert "x.json" in caught.value.message and caught.value.hint


@given(st.binary(max_size=200), st.integers(0, 3000))
def test_bytes_that_were_changed_end_in_a_ranking_or_a_sentence(noise: bytes, at: int) -> None:
    data = ranking_text(whole())
    try:
        parse_ranking(data[:at] + noise + data[at + len(noise) :])
    except ErrorflowError as error:
        assert error.hint
