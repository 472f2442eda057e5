"""What Pulsar2 leaves in quant/debug, and the scales beside it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.formats.runs import read_run
from errorflow.graph.qparams import QParams
from errorflow.vendors.axera.axmodel import read_axmodel


def config(number: int, dominator: int | None = None, **fields: Any) -> dict[str, Any]:
    shared = number if dominator is None else dominator
    return {"bit_width": 8, "quant_min": 0, "quant_max": 255, "hash": number, "dominator": shared} | fields


MODEL = {
    "tensor_configs": {
        "Conv_0": {"/block/conv": config(1), "x": config(2, quant_min=-128)},
        "Add_1": {"/block/conv": config(3, dominator=1), "sum": config(4, bit_width=16), "floats": config(99)},
    },
    "values": {
        "1": {"scale": 0.5, "zero_point": 10},
        "2": {"scale": [0.25], "zero_point": [0]},
        "4": {"scale": 0.125, "zero_point": 0},
    },
}


def debug(top: Path, model: object = MODEL) -> Path:
    for group, run in (("numpy", "float"), ("numpy", "xrun"), ("io", "float"), ("io", "quant")):
        folder = top / "quant" / "debug" / group / run
        folder.mkdir(parents=True)
        dtype = np.uint8 if run == "xrun" else np.float32
        np.save(folder / "_block_conv.npy", np.array([1, 2, 3], dtype))
        np.save(folder / "sum.npy", np.ones(2, np.float32))
    if model is not None:
        (top / "quant" / "quant_axmodel.json").write_text(json.dumps(model))
    return top / "quant" / "debug"


def test_codes_know_their_scale_and_stay_codes(tmp_path: Path) -> None:
    run = read_run(debug(tmp_path) / "numpy" / "xrun")

    assert run.names() == ("/block/conv", "sum")
    assert run.info("/block/conv").qparams == QParams((0.5,), (10,), 8, signed=False)
    assert run.read("/block/conv").tolist() == [1, 2, 3]
    assert run.problems == ()


def test_floats_among_codes_have_no_scale(tmp_path: Path) -> None:
    assert read_run(debug(tmp_path) / "numpy" / "xrun").info("sum").qparams is None


@pytest.mark.parametrize("run", ["numpy/float", "io/float", "io/quant"])
def test_other_runs_are_floats(run: str, tmp_path: Path) -> None:
    dump = read_run(debug(tmp_path) / run)

    assert dump.names() == ("/block/conv", "sum")
    assert dump.info("/block/conv").qparams is None


@pytest.mark.parametrize(("folder", "count"), [(".", 4), ("numpy", 2), ("io", 2)])
def test_of_several_runs_none_is_guessed(folder: str, count: int, tmp_path: Path) -> None:
    with pytest.raises(WrongFileError, match=f"holds {count} runs"):
        read_run(debug(tmp_path) / folder)


@pytest.mark.parametrize("model", [None, {}, {"tensor_configs": {}}, []])
def test_without_scales_codes_stay_codes_and_that_is_said(model: object, tmp_path: Path) -> None:
    run = read_run(debug(tmp_path, model) / "numpy" / "xrun")

    assert run.names() == ("_block_conv", "sum")
    assert run.info("_block_conv").qparams is None
    assert run.problems


def test_files_of_one_tensor_are_a_problem(tmp_path: Path) -> None:
    folder = debug(tmp_path) / "numpy" / "xrun"
    np.save(folder / ".block.conv.npy", np.array([7], np.uint8))

    run = read_run(folder)

    assert run.names() == ("/block/conv", "sum")
    assert [problem.where for problem in run.problems] == ["/block/conv"]


class TestScales:
    def read(self, folder: Path, entry: object, **fields: Any) -> tuple[QParams | None, tuple[str, ...]]:
        model = {"tensor_configs": {"op": {"t": config(1, **fields)}}, "values": {"1": entry}}
        (folder / "m.json").write_text(json.dumps(model))
        found = read_axmodel(folder / "m.json")
        return found.tensors["t"], found.problems

    def test_a_tensor_without_own_values_has_those_of_its_dominator(self, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text(json.dumps(MODEL))
        found = read_axmodel(tmp_path / "m.json")

        assert found.tensors["/block/conv"] == QParams((0.5,), (10,), 8, signed=False)
        assert found.tensors["x"] == QParams((0.25,), (0,), 8, signed=True)
        assert found.tensors["sum"] == QParams((0.125,), (0,), 16, signed=False)
        assert found.tensors["floats"] is None
        assert found.problems == ()

    def test_one_scale_per_channel(self, tmp_path: Path) -> None:
        entry = {"scale": [0.5, 0.25], "zero_point": [1, 2]}

        assert self.read(tmp_path, entry, channel_axis=1)[0] == QParams((0.5, 0.25), (1, 2), 8, False, 1)

    @pytest.mark.parametrize(
        "entry",
        [
            {"scale": 0, "zero_point": 0},
            {"scale": -1, "zero_point": 0},
            {"scale": "x", "zero_point": 0},
            {"scale": [], "zero_point": 0},
            {"scale": 1, "zero_point": 0.5},
            {"scale": 1, "zero_point": [1, 2]},
            {"scale": [1, 2], "zero_point": 0},
            {"scale": 1e400, "zero_point": 0},
        ],
    )
    def test_numbers_that_make_no_sense_are_a_problem(self, entry: object, tmp_path: Path) -> None:
        qparams, problems = self.read(tmp_path, entry)

        assert qparams is None
        assert len(problems) == 1

    def test_several_scales_of_one_tensor_are_a_problem(self, tmp_path: Path) -> None:
        two = {"a": {"t": config(1)}, "b": {"t": config(2)}}
        model = {"tensor_configs": two, "values": {"1": {"scale": 1}, "2": {"scale": 2}}}
        (tmp_path / "m.json").write_text(json.dumps(model))

        found = read_axmodel(tmp_path / "m.json")

        assert found.tensors["t"] == QParams((1.0,), (0,), 8, signed=False)
        assert found.problems == ("t has several scales; the first one that is its own is used.",)

    def test_its_own_scale_counts_more_than_anothers(self, tmp_path: Path) -> None:
        two = {"a": {"t": config(1, state="OVERLAPPED")}, "b": {"t": config(2, state="ACTIVATED")}}
        model = {"tensor_configs": two, "values": {"1": {"scale": 1}, "2": {"scale": 2}}}
        (tmp_path / "m.json").write_text(json.dumps(model))

        assert read_axmodel(tmp_path / "m.json").tensors["t"] == QParams((2.0,), (0,), 8, signed=False)

    def test_a_tensor_that_stays_in_floats_has_none(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, {"scale": None, "zero_point": None}) == (None, ())

    @pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", '{"tensor_configs": 3}'])
    def test_a_file_that_is_none_is_a_sentence(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "m.json").write_text(text)

        with pytest.raises(FormatError) as caught:
            read_axmodel(tmp_path / "m.json")
        assert caught.value.hint
