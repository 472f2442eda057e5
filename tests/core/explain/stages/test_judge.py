"""Which of the two steps between float, simulator and board is at fault."""

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.compare import compare
from errorflow.compare.pairs import match_by_name
from errorflow.explain.stages.compare import Three, compare_three
from errorflow.explain.stages.judge import judge
from errorflow.explain.stages.model import Stages
from errorflow.formats import read_tensors
from errorflow.graph.dump import Dump
from errorflow.report.stages import stages_csv, stages_data, stages_lines
from run_models import floats, savez

Arrays = Mapping[str, NDArray[np.floating]]
GOOD = floats(1000, seed=1)
SMALL, LARGE = 1e-3, 0.5


def runs(folder: Path, *arrays: Arrays) -> list[Dump]:
    return [read_tensors(savez(folder / f"{at}.npz", each)) for at, each in enumerate(arrays)]


def stages_of(folder: Path, golden: Arrays, simulator: Arrays, board: Arrays, *outputs: str) -> Stages:
    f, s, b = runs(folder, golden, simulator, board)
    return judge(compare(f, s), compare(s, b), compare(f, b), outputs=outputs)


def noisy(array: NDArray[np.float32], amount: float, seed: int) -> NDArray[np.float32]:
    return array + np.float32(amount) * floats(*array.shape, seed=seed)


@pytest.mark.parametrize(
    ("quantization", "deployment", "fault"),
    [(SMALL, SMALL, "none"), (LARGE, SMALL, "quantization"), (SMALL, LARGE, "deployment"), (LARGE, LARGE, "both")],
)
def test_the_step_that_exceeds_its_limits_is_at_fault(
    quantization: float, deployment: float, fault: str, tmp_path: Path
) -> None:
    simulator = noisy(GOOD, quantization, 2)
    found = stages_of(tmp_path, {"y": GOOD}, {"y": simulator}, {"y": noisy(simulator, deployment, 3)})
    assert found.fault == found.tensors[0].fault == fault
    assert fault == "none" or ("at fault" in found.text and found.tensors[0].tensor in found.text)


def test_errors_that_cancel_are_told(tmp_path: Path) -> None:
    found = stages_of(tmp_path, {"y": GOOD}, {"y": noisy(GOOD, LARGE, 2)}, {"y": noisy(GOOD, SMALL, 3)})
    (each,) = found.tensors
    assert each.fault == "both"
    assert each.interplay == "cancel"
    assert each.note == "the two errors cancel: the board is within the limits"
    assert f"y: {each.note}" in list(stages_lines(found))


def test_errors_that_add_up_are_told(tmp_path: Path) -> None:
    """Each step is within the limits, and both together are not."""
    noise = floats(1000, seed=4)
    simulator, board = GOOD + np.float32(0.03) * noise, GOOD + np.float32(0.06) * noise
    (each,) = stages_of(tmp_path, {"y": GOOD}, {"y": simulator}, {"y": board}).tensors
    assert each.interplay == "add up"
    assert (each.fault, each.note) == ("both", "each step is within the limits, and together they are not")


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), first=st.floats(-3, 0.2), second=st.floats(-3, 0.2), along=st.floats(-1, 1))
def test_the_angle_is_that_between_the_errors(
    seed: int, first: float, second: float, along: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Told from relative errors and cosines alone, without reading three tensors at once."""
    q = 10**first * floats(50, seed=seed)
    d = 10**second * floats(50, seed=seed + 1) + along * q
    golden = floats(50, seed=seed + 2).astype(np.float64)
    folder = tmp_path_factory.mktemp("angle")
    f, s, b = runs(folder, {"y": golden}, {"y": golden + q}, {"y": golden + q + d})
    (each,) = judge(compare(f, s), compare(s, b), compare(f, b)).tensors
    sizes = math.sqrt(float(q @ q)), math.sqrt(float(d @ d))
    if min(sizes) > 0.11 * max(sizes):
        assert each.angle == pytest.approx(float(q @ d) / math.prod(sizes), abs=0.02)
    elif min(sizes) < 0.09 * max(sizes):
        assert math.isnan(each.angle)


def test_the_outputs_decide_and_the_first_tensor_of_each_step_is_named(tmp_path: Path) -> None:
    golden = {name: floats(100, seed=at) for at, name in enumerate("abcy")}
    simulator = golden | {"b": noisy(golden["b"], LARGE, 9)}
    board = simulator | {"c": noisy(golden["c"], LARGE, 8), "y": noisy(golden["y"], LARGE, 7)}
    found = stages_of(tmp_path, golden, simulator, board, "y")
    assert found.fault == "deployment"
    assert found.first_quantization is not None and found.first_quantization.tensor == "b"
    assert found.first_deployment is not None and found.first_deployment.tensor == "c"
    assert found.text.startswith("The deployment is at fault at the output y: simulator and board differ from c (")
    assert found.text.endswith("float and simulator differ inside only.")


def test_a_tensor_that_one_run_lacks_is_judged_by_what_is_there(tmp_path: Path) -> None:
    bad = noisy(GOOD, LARGE, 5)
    found = stages_of(tmp_path, {"x": GOOD, "y": GOOD}, {"x": GOOD}, {"x": GOOD, "y": bad})
    lacking = found.tensor("y")
    assert lacking is not None
    assert lacking.fault == ""
    assert lacking.note == "only in the reference"


def test_what_is_only_in_one_run_of_two_says_so(tmp_path: Path) -> None:
    found = stages_of(tmp_path, {"a": GOOD}, {"b": GOOD}, {"c": GOOD})
    assert found.fault == ""
    assert found.text == "Nothing can be said of the steps: no tensor is in all of the three runs."


def test_a_missing_simulator_tensor_is_bridged_by_the_total(tmp_path: Path) -> None:
    """The simulator's y is there and follows the float; the board's differs from the float but not in shape."""
    f, s, b = runs(tmp_path, {"y": GOOD}, {"y": GOOD}, {"y": noisy(GOOD, LARGE, 5)})
    nothing = compare(s, read_tensors(savez(tmp_path / "other.npz", {"z": GOOD})))
    (each, *_) = judge(compare(f, s), nothing, compare(f, b)).tensors
    assert each.fault == "deployment"
    assert "this one is within limits" in each.note


def test_names_lead_from_float_over_simulator_to_board(tmp_path: Path) -> None:
    """The simulator calls it otherwise, and so does the board."""
    golden, simulator, board = runs(
        tmp_path, {"y": GOOD}, {"y_DequantizeLinear_Output": GOOD}, {"y_DequantizeLinear_Output": noisy(GOOD, LARGE, 6)}
    )
    first = match_by_name(golden, read_tensors(savez(tmp_path / "renamed.npz", {"y": GOOD})))
    (pair,) = first.pairs
    renamed = replace(pair, candidate=simulator.stored("y_DequantizeLinear_Output"))
    three = Three(
        replace(first, pairs=(renamed,), network_outputs=("y",)),
        match_by_name(simulator, board),
        match_by_name(golden, board),
    )
    found = compare_three(three)
    each = found.tensor("y")
    assert each is not None
    assert (each.simulator, each.board) == ("y_DequantizeLinear_Output",) * 2
    assert each.fault == found.fault == "deployment"
    assert each.total is not None and each.total.values["cosine"] < 0.99
    assert [tensor.tensor for tensor in found.deciding] == ["y"]


def test_the_table_has_a_line_per_tensor(tmp_path: Path) -> None:
    found = stages_of(tmp_path, {"=y": GOOD}, {"=y": noisy(GOOD, LARGE, 2)}, {"=y": noisy(GOOD, SMALL, 3)})
    (line,) = csv.DictReader(io.StringIO(stages_csv(found)))
    assert line["tensor"] == "'=y"  # no formula for a spreadsheet
    assert (line["fault"], line["errors"]) == ("both", "cancel")
    assert float(line["quantization cosine"]) < 0.95 < float(line["total cosine"])
    assert stages_data(found)["tensors"] == {"both": 1}
