"""Where noise does not add up, one group in float may tell all the same."""

from pathlib import Path

import onnx

from errorflow.blame.model import Floats
from errorflow.quant.presets import preset
from errorflow.rerun.engine import Engine
from errorflow.simulate.mending import mended
from errorflow.simulate.outcome import Outcome, simulate
from planted_faults import FAMILIES, Planted, planted
from rerun_nets import calibration, every_tensor

BY_KEY = {family.key: family for family in FAMILIES}
PLAN = preset("onnxruntime").plan


def opened(case: Planted, folder: Path) -> Engine:
    path = folder / "model.onnx"
    onnx.save(case.model, path)
    samples = [case.base.fed(one) for one in case.base.samples[:3]]
    return Engine(path, samples, calibration(tuple(each | every_tensor(case.model, each) for each in samples)))


def parts_of(engine: Engine) -> tuple[Outcome, Floats | None]:
    outcome = simulate(engine, PLAN)
    assert outcome.noise is not None
    return outcome, mended(engine, PLAN, outcome.noise, 0, outcome.table)


def test_the_group_that_mends_the_output_is_told_with_what_is_gone(tmp_path: Path) -> None:
    case = planted(BY_KEY["loud weights"], "repvgg", 1, True)
    with opened(case, tmp_path) as engine:
        _, parts = parts_of(engine)
        assert parts is not None
        assert engine.graph.title(int(parts.argmax())) in case.culprits[0]
        assert 0.9 < parts.max() <= 1


def test_where_no_single_one_mends_it_nothing_is_told(tmp_path: Path) -> None:
    with opened(planted(BY_KEY["mixed"], "repvgg", 1, True), tmp_path) as engine:
        assert parts_of(engine)[1] is None
