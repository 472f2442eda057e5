"""The knee of a recovery curve says how many parts are at fault."""

from pathlib import Path

import onnx
import pytest

from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.curves_choosing import worst_first
from errorflow.study.rank.curves_knee import knee_of
from errorflow.study.rank.curves_recovery import RecoveryRequest, recovery
from errorflow.study.rank.model import Question
from errorflow.study.rank.ranking import rank
from planted_faults import FAMILIES, planted
from rerun_nets import calibration, every_tensor


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("family", "net", "parts"),
    [
        ("loud weights", "repvgg", 1),
        ("loud weights", "mobile", 1),
        ("loud channel", "mobile", 1),
        ("mixed", "repvgg", 4),
        ("unharmed", "repvgg", None),
        ("unharmed", "mobile", None),
    ],
)
def test_the_knee_is_at_as_many_parts_as_are_at_fault(
    family: str, net: str, parts: int | None, seed: int, tmp_path: Path
) -> None:
    fault = planted(next(row for row in FAMILIES if row.key == family), net, seed, per_channel=False)
    path = tmp_path / "model.onnx"
    onnx.save(fault.model, path)
    given = [fault.base.fed(one) for one in fault.base.samples[:4]]
    runs = tuple(inputs | every_tensor(fault.model, inputs) for inputs in given)
    with Engine(path, given, calibration(runs)) as engine:
        ranking = rank(engine, Plan(), Question("unit"))
        curves = recovery(engine, Plan(), RecoveryRequest(worst_first(ranking, engine.graph)))
    found = knee_of(curves, curves.curves[0], "sqnr")
    assert (None if found is None else found.at) == parts
