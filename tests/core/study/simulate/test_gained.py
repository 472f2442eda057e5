"""What is said to be gained is what was gone: of single nodes, and of the smallest set."""

from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from errorflow.explain.blame.limits import CLEAN, NEARLY_ALL
from errorflow.explain.blame.model import Blame, Remedy
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.gained import SAMPLES, drawn
from errorflow.study.simulate.pooled import pooled_sums
from errorflow.study.simulate.running import simulate
from planted_faults import FAMILIES, Planted, planted
from rerun_nets import calibration, every_tensor

BY_KEY = {family.key: family for family in FAMILIES}
PLAN = preset("onnxruntime").plan
CASES = (("loud weights", "repvgg", 1), ("mixed", "digits", 0), ("drift", "mobile", 0), ("loud norm", "encoder", 1))


def opened(case: Planted, folder: Path) -> Engine:
    path = folder / "model.onnx"
    onnx.save(case.model, path)
    samples = [case.base.fed(one) for one in case.base.samples[:3]]
    return Engine(path, samples, calibration(tuple(each | every_tensor(case.model, each) for each in samples)))


def power(engine: Engine, plan: Plan, output: str) -> float:
    sums = pooled_sums(engine.run(plan, [output]), output)
    assert sums is not None
    return float(sums.dd)


@pytest.fixture(scope="module", params=CASES, ids=[" ".join(map(str, each)) for each in CASES])
def judged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Planted, Engine, Blame, Remedy]]:
    family, net, seed = request.param
    case = planted(BY_KEY[family], net, seed, True)
    with opened(case, tmp_path_factory.mktemp("model")) as engine:
        blame = simulate(engine, PLAN).findings.blame
        assert blame is not None and blame.model.remedy is not None
        yield case, engine, blame, blame.model.remedy


def without(judged: tuple[Planted, Engine, Blame, Remedy], *nodes: int) -> float:
    """Part of the error's power that is gone with these nodes in float."""
    _, engine, blame, _ = judged
    kept = PLAN.keeping_float(*map(blame.graph.title, nodes))
    return 1 - power(engine, kept, blame.blamed_at) / power(engine, PLAN, blame.blamed_at)


def test_the_set_gains_what_is_said(judged: tuple[Planted, Engine, Blame, Remedy]) -> None:
    remedy = judged[3]
    assert without(judged, *remedy.nodes, *remedy.others) == pytest.approx(remedy.gain, abs=0.01)
    assert remedy.gain >= NEARLY_ALL or remedy.after <= CLEAN


def test_each_named_node_gains_its_share_where_they_do_not_interact(
    judged: tuple[Planted, Engine, Blame, Remedy],
) -> None:
    _, _, blame, remedy = judged
    for each in blame.model.top if not remedy.interact else ():
        assert without(judged, each.node) == pytest.approx(each.share, abs=0.1)


def test_no_node_of_a_small_set_can_be_left_out(judged: tuple[Planted, Engine, Blame, Remedy]) -> None:
    remedy = judged[3]
    least = 1 - (CLEAN / remedy.before) ** 2 if remedy.after <= CLEAN else NEARLY_ALL
    for node in remedy.nodes if len(remedy.nodes) > 1 and remedy.is_small else ():
        rest = [each for each in (*remedy.nodes, *remedy.others) if each != node]
        assert without(judged, *rest) < least


def test_a_small_set_is_a_node_error_and_a_large_one_is_none(judged: tuple[Planted, Engine, Blame, Remedy]) -> None:
    case, _, blame, remedy = judged
    assert blame.model.kind == ("node error" if remedy.is_small else "accumulated error")
    assert case.kind in ("", blame.model.kind)


def test_the_text_names_the_numbers_of_the_set(judged: tuple[Planted, Engine, Blame, Remedy]) -> None:
    _, _, blame, remedy = judged
    assert f"the error falls from {remedy.before:.2g} to {remedy.after:.2g}" in blame.model.text
    assert blame.graph.title(remedy.nodes[0]) in blame.model.text


@pytest.mark.parametrize(("samples", "worst"), [(1, 0), (3, 2), (16, 0), (40, -1), (100, 57)])
def test_samples_are_drawn_evenly_with_the_worst_first(samples: int, worst: int) -> None:
    found = drawn(samples, worst)

    assert len(found) == len(set(found)) == min(samples, SAMPLES)
    assert worst < 0 or found[0] == worst
    assert set(found) <= set(range(samples))
    if samples > SAMPLES:
        assert max(found) >= samples - 2 and min(found) <= 1
