"""Values beyond the range that calibration saw: more bits do not help there, and the advice says so."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.quant.presets import preset
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import simulate
from onnx_models import graph, model, value, weight
from rerun_nets import Array, calibration, every_tensor

PLAN = preset("onnxruntime").plan
REACH = 0.4


def net() -> onnx.ModelProto:
    dice = np.random.default_rng(4)
    weights = [
        weight("w", dice.standard_normal((16, 16), np.float32)),
        weight("v", dice.standard_normal((16, 4), np.float32)),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "first"),
        helper.make_node("Tanh", ["h"], ["t"], "tanh"),
        helper.make_node("MatMul", ["t", "v"], ["y"], "last"),
    ]
    return model(
        graph(*nodes, inputs=[value("x", (1, 16))], outputs=[value("y", None)], weights=weights), ir_version=10
    )


def simulated(folder: Path, *, reach: float, method: str = "minmax") -> Outcome:
    """The range of the output holds that share of what the samples reach."""
    proto, path = net(), folder / "net.onnx"
    onnx.save(proto, path)
    samples: list[dict[str, Array]] = [
        {"x": np.random.default_rng(seed).standard_normal((1, 16)).astype(np.float32)} for seed in range(8)
    ]
    found = calibration(tuple(sample | every_tensor(proto, sample) for sample in samples))
    whole = found.ranges["y"]
    ranges = {**found.ranges, "y": Range(whole.low * reach, whole.high * reach)}
    with Engine(path, samples, Calibration(method, ranges, 8)) as engine:
        return simulate(engine, PLAN)


def told(found: Outcome) -> tuple[str, str]:
    """The note on the first node, and what is advised first."""
    blame = found.findings.blame
    assert blame is not None
    return blame.notes.get(blame.model.top[0].node, ""), blame.model.advice[0].text


def test_a_range_that_ends_too_early_is_named_with_how_far_the_data_reach(tmp_path: Path) -> None:
    note, advice = told(simulated(tmp_path, reach=REACH))
    assert note.startswith("y is clipped, which is ")
    assert "its codes end at " in note and "the data reach " in note
    assert advice.startswith("Find the range of y on data that reach as far as those of use, or leave last in float")
    assert "16 bits would be clipped alike" in advice


def test_a_method_that_cuts_on_purpose_is_to_be_another_one(tmp_path: Path) -> None:
    _, advice = told(simulated(tmp_path, reach=REACH, method="percentile"))
    assert advice.startswith("Find the range of y by minmax on data")


def test_where_ranges_hold_the_data_nothing_is_said(tmp_path: Path) -> None:
    found = simulated(tmp_path, reach=1.0)
    blame = found.findings.blame
    assert blame is not None
    assert not any("clipped" in note for note in blame.notes.values())
    assert not any("clipped" in row.text for row in blame.model.advice)


def test_16_bits_do_not_help_indeed(tmp_path: Path) -> None:
    """What the advice says is so."""
    before = simulated(tmp_path, reach=REACH)
    [output] = [row for row in before.comparison.rows if row.tensor == "y"]
    proto, path = net(), tmp_path / "net.onnx"
    samples = [{"x": np.random.default_rng(seed).standard_normal((1, 16)).astype(np.float32)} for seed in range(8)]
    found = calibration(tuple(sample | every_tensor(proto, sample) for sample in samples))
    whole = found.ranges["y"]
    short = replace(found, ranges={**found.ranges, "y": Range(whole.low * REACH, whole.high * REACH)})
    with Engine(path, samples, short) as engine:
        wide = simulate(engine, PLAN.with_bits(16, "last"), noise_samples=0).comparison.row("y")
    assert wide is not None
    assert wide.value("relative_l2") > 0.8 * output.value("relative_l2")
    assert wide.value("relative_l2") == pytest.approx(output.value("relative_l2"), rel=0.2)
