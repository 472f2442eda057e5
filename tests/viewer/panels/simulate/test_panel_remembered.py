"""What was given for a model at other times."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow_viewer.kit.settings import SAMPLES_OF, Settings
from errorflow_viewer.panels.simulate.panel import MOST, Remembered, remembered

ASKED = SampleSpec(("a.npz", "b"), {"N": 1}, Pictures((1.5,), (2.0, 3.0, 4.0), "NHWC", "bgr", "letterbox"))


def test_it_comes_back_as_it_was(settings: Settings) -> None:
    found = Remembered().with_asked(ASKED)
    settings.set_samples_of(Path("/models/net.onnx"), found)
    assert remembered(settings.samples_of(Path("/models/net.onnx"))) == found
    assert remembered(settings.samples_of(Path("/models/other.onnx"))) == Remembered()


def test_the_newest_come_first_and_old_ones_are_forgotten() -> None:
    found = Remembered()
    for number in (*range(MOST + 3), 5):
        found = found.with_asked(SampleSpec((f"{number}.npz",)))
    assert [paths[0] for paths in found.paths] == ["5.npz", "8.npz", "7.npz", "6.npz", "4.npz", "3.npz"]


def test_made_up_samples_leave_what_was_given() -> None:
    assert Remembered().with_asked(ASKED).with_asked(SampleSpec(seed=1)).paths == (ASKED.paths,)


def test_samples_that_are_gone_are_not_offered(tmp_path: Path) -> None:
    there = tmp_path / "there.npz"
    there.write_bytes(b"")
    found = Remembered()
    for paths in ((str(there),), (str(there), str(tmp_path / "gone.npz")), (str(tmp_path),)):
        found = found.with_asked(SampleSpec(paths))
    assert found.still_there().paths == ((str(tmp_path),), (str(there),))


def test_only_so_many_models_are_remembered(settings: Settings) -> None:
    for number in range(SAMPLES_OF + 2):
        settings.set_samples_of(Path(f"/models/{number}.onnx"), {})
    assert settings.samples_of(Path("/models/1.onnx")) is None
    assert settings.samples_of(Path("/models/2.onnx")) == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["paths", "dims", "pictures", "mean", "x"]), inner),
    max_leaves=12,
)


@given(JSON)
def test_rubbish_is_nothing_remembered(rows: object) -> None:
    found = remembered(json.loads(json.dumps(rows)))
    assert all(isinstance(text, str) for paths in found.paths for text in paths)
    assert all(isinstance(size, int) and size > 0 for size in found.dims.values())


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_settings_that_are_broken_remember_nothing(text: str, settings: Settings) -> None:
    settings._store.setValue("simulate/samples", text)
    assert settings.samples_of(Path("/models/net.onnx")) is None
