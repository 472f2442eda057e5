"""Calibrations in files."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError, FormatError, WrongFileError
from errorflow.quant.calibrate.saved import KIND, load_calibrations, save_calibrations
from errorflow.quant.ranges import Calibration, ChannelRanges, Range

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
RANGES = st.tuples(FLOATS, FLOATS).map(lambda ends: Range(min(ends), max(ends)))
TEXTS = st.dictionaries(st.text(max_size=20), st.text(max_size=20), max_size=4)
ENDS = st.lists(FLOATS, min_size=1, max_size=4).map(tuple)
CHANNELS = st.builds(lambda axis, ends: ChannelRanges(axis, ends, ends), st.integers(0, 5), ENDS)
CALIBRATIONS = st.builds(
    Calibration,
    method=st.text(max_size=20),
    ranges=st.dictionaries(st.text(max_size=20), RANGES, max_size=5),
    samples=st.integers(0, 2**31),
    notes=TEXTS,
    facts=TEXTS,
    channels=st.dictionaries(st.text(max_size=20), CHANNELS, max_size=3),
)


def parts(calibration: Calibration) -> tuple[object, ...]:
    return (
        calibration.method,
        dict(calibration.ranges),
        calibration.samples,
        dict(calibration.notes),
        dict(calibration.facts),
        dict(calibration.channels),
    )


@given(calibrations=st.lists(CALIBRATIONS, max_size=3))
def test_what_was_saved_is_read_back_to_the_bit(
    calibrations: list[Calibration], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("saved") / "c.json"
    save_calibrations(path, calibrations)
    assert list(map(parts, load_calibrations(path))) == list(map(parts, calibrations))


@given(data=st.binary(max_size=200))
def test_rubbish_is_a_sentence(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rubbish") / "c.json"
    path.write_bytes(data)
    with pytest.raises(ErrorflowError):
        load_calibrations(path)


def saved(folder: Path, **changes: object) -> Path:
    whole = {"kind": KIND, "version": 1, "calibrations": [{"method": "minmax", "ranges": {"x": [0, 1]}}]}
    path = folder / "c.json"
    path.write_text(json.dumps(whole | changes))
    return path


def test_the_first_version_is_read(tmp_path: Path) -> None:
    [found] = load_calibrations(saved(tmp_path))
    assert parts(found) == ("minmax", {"x": Range(0, 1)}, 0, {}, {}, {})


def one(**channels: object) -> dict[str, object]:
    return {"method": "minmax", "ranges": {}, "channels": {"x": channels}}


@pytest.mark.parametrize(
    ("changes", "kind", "said"),
    [
        ({"kind": "errorflow plan"}, WrongFileError, "is no calibration"),
        ({"version": 2}, FormatError, "saved by a newer Errorflow"),
        ({"calibrations": [{"method": "a", "ranges": {"x": [2, 1]}}]}, FormatError, "no range for x but 2 … 1"),
        ({"calibrations": [{"method": "a", "ranges": {"x": [1]}}]}, FormatError, "a broken calibration"),
        ({"calibrations": [{"method": "a", "ranges": {"x": ["1", 2]}}]}, FormatError, "a broken calibration"),
        ({"calibrations": [one(axis=-1, ranges=[[0, 1]])]}, FormatError, "channels of x along axis -1"),
        ({"calibrations": [one(axis=10**20, ranges=[[0, 1]])]}, FormatError, "channels of x along axis 1000000000000"),
        ({"calibrations": [one(axis=1, ranges=[])]}, FormatError, "channels of x without a range"),
        ({"calibrations": [one(axis=1, ranges=[[2, 1]])]}, FormatError, "no range for x but 2 … 1"),
        ({"calibrations": [one(ranges=[[0, 1]])]}, FormatError, "a broken calibration"),
        ({"calibrations": [{"ranges": {}}]}, FormatError, "a broken calibration"),
        ({"calibrations": [{"method": "a", "ranges": {}}] * 1001}, FormatError, "holds 1,001 calibrations"),
    ],
)
def test_what_is_wrong_is_a_sentence(
    changes: dict[str, object], kind: type[ErrorflowError], said: str, tmp_path: Path
) -> None:
    with pytest.raises(kind) as caught:
        load_calibrations(saved(tmp_path, **changes))
    assert said in caught.value.message


def test_infinite_ends_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, calibrations=[{"method": "a", "ranges": {"x": [-7, 1]}}])
    path.write_text(path.read_text().replace("-7", "-1e999"))
    with pytest.raises(ErrorflowError):
        load_calibrations(path)


def test_deep_nesting_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("[" * 100_000)
    with pytest.raises(WrongFileError):
        load_calibrations(path)
