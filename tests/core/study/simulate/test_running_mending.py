"""Where noise does not add up, one group in float may tell all the same."""

from pathlib import Path

import onnx

from errorflow.explain.blame.model import Floats
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import confirmed, mended, simulate
from planted_faults import FAMILIES, Planted, planted
from planted_judging import opened as placed
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


def test_what_several_would_mend_is_counted_once(tmp_path: Path) -> None:
    """A loud channel and the weights that read it: either in float heals."""
    with opened(planted(BY_KEY["loud norm"], "encoder", 1, False), tmp_path) as engine:
        _, parts = parts_of(engine)
        assert parts is not None
        assert engine.graph.title(int(parts.argmax())) == "/encoder/norm1/LayerNormalization"
        assert 0.9 < parts.max() <= parts.sum() <= 1 + 1e-9


def test_where_a_sum_is_right_by_chance_it_is_not_believed(tmp_path: Path) -> None:
    """Two of ten bad layers ruin the output alone; with both in float the other eight still do."""
    case = planted(BY_KEY["drift"], "digits", 3, False)
    trial = placed(case.model, case, "onnxruntime", tmp_path, "model")
    with trial.bench:
        engine = trial.bench.engine
        outcome = simulate(engine, PLAN)
        assert outcome.noise is not None
        assert 0.5 < outcome.noise.explained(0, outcome.table) < 4
        assert outcome.noise.shares(0).max() > 0.5
        assert not confirmed(engine, PLAN, outcome.noise, 0, outcome.table)
        assert outcome.findings.blame is not None
        assert outcome.findings.blame.model.kind == "accumulated error"


def test_a_sum_that_is_right_is_believed(tmp_path: Path) -> None:
    with opened(planted(BY_KEY["loud weights"], "repvgg", 0, True), tmp_path) as engine:
        outcome = simulate(engine, PLAN)
        assert outcome.noise is not None
        assert confirmed(engine, PLAN, outcome.noise, 0, outcome.table)
