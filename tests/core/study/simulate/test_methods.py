"""Methods of calibration on what is simulated: judged, compared, and used for all tensors or one."""

from collections.abc import Iterator

import pytest

from errorflow.base.errors import UsageError
from errorflow.base.sample import SAMPLES
from errorflow.quant.calibrate import METHODS
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.calibrating import Calibrated
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.methods import (
    best_of,
    compare_methods,
    differing,
    judged,
    method_used,
    precisions_under,
    set_elsewhere,
    with_method,
)
from errorflow.study.simulate.ranging import mixed

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
BASIS = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=8, method="minmax")
UINT8, INT8 = Precision("uint8"), Precision("int8", symmetric=True)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with floated(SAMPLE.model) as model, Bench.open(model, BASIS, Plan()) as found:
        yield found


@pytest.fixture(scope="module")
def found(bench: Bench) -> Calibrated:
    return compare_methods(bench, (UINT8, INT8))


def test_all_methods_see_the_samples_that_calibrated(bench: Bench, found: Calibrated) -> None:
    assert [method.key for method in found.methods] == [method.key for method in METHODS]
    assert found.calibrations[0].samples == bench.calibration.samples
    assert found.calibrations[0].ranges == bench.calibration.ranges


def test_each_is_judged_by_the_codes_of_the_plan(found: Calibrated) -> None:
    tensor = next(tensor for tensor in found.tensors if tensor.low < 0 < tensor.high)
    wide, narrow = (judged(found, tensor, how) for how in (UINT8, INT8))
    assert [row.low for row in wide] == [each.low for each in tensor.found]
    assert [row.sqnr for row in wide] == [each.sqnr[0] for each in tensor.found]
    assert [row.sqnr for row in narrow] == [each.sqnr[1] for each in tensor.found]
    assert all(row.sqnr != row.sqnr for row in judged(found, tensor, Precision("int4")))


def test_the_best_has_the_highest_ratio(found: Calibrated) -> None:
    for tensor in found.tensors:
        rows = judged(found, tensor, UINT8)
        best = best_of(rows)
        assert best is not None
        assert best.sqnr >= max(row.sqnr for row in rows) - 0.05
    assert best_of([]) is None
    assert best_of(judged(found, found.tensors[0], Precision("int4"))) is None


def test_tensors_stand_in_the_order_of_what_another_method_would_gain(bench: Bench, found: Calibrated) -> None:
    rows = differing(found, bench, bench.engine.assigned(Plan()))
    assert len(rows) > 10
    assert [row.gain for row in rows] == sorted((row.gain for row in rows), reverse=True)
    for row in rows:
        assert row.used is not None and row.used.method.key == "minmax"
        assert row.best.sqnr >= row.used.sqnr >= row.worst.sqnr or row.gain == 0


def test_the_plan_says_by_which_codes(bench: Bench) -> None:
    plan = Plan(UINT8).with_bits(16, "/block2/project/conv/Conv")
    assert precisions_under(plan, bench.engine.assigned(plan)) == (UINT8, Precision("uint16"))


def test_one_tensor_alone_has_a_method_of_its_own(bench: Bench, found: Calibrated) -> None:
    name = differing(found, bench, bench.engine.assigned(Plan()))[0].tensor
    basis = with_method(BASIS, "mse", name)
    with floated(SAMPLE.model) as model, Bench.open(model, basis, Plan()) as other:
        mse = next(each for each in found.calibrations if each.method == "mse")
        assert method_used(other, name) == "mse"
        assert other.calibration.ranges == {**bench.calibration.ranges, name: mse.ranges[name]}
        assert other.calibration.facts["other methods"] == f"{name}: mse"


def test_a_method_for_all_forgets_those_of_single_tensors() -> None:
    basis = with_method(with_method(BASIS, "mse", "x"), "entropy", "x")
    assert basis.methods == (("x", "entropy"),)
    basis = with_method(with_method(basis, "mse", "y"), "percentile")
    assert (basis.method, basis.methods) == ("percentile", ())


def test_a_tensor_without_a_range_is_named() -> None:
    known = [Calibration("minmax", {"x": Range(0, 1)}), Calibration("mse", {"x": Range(0, 2)})]
    assert mixed(known, [("x", "mse")]).ranges == {"x": Range(0, 2)}
    assert mixed(known, []) is known[0]
    with pytest.raises(UsageError, match="No range of y"):
        mixed(known, [("y", "mse")])
    with pytest.raises(UsageError, match="all cannot be its method"):
        mixed(known, [("x", "all")])


def test_it_is_said_where_another_method_would_change_nothing(bench: Bench) -> None:
    conv, relu = "/stem/conv/Conv_output_0", "/stem/act/Relu_output_0"
    for plan, said in ((Plan(), False), (Plan(fitted=True), True)):
        assigned = bench.engine.assigned(plan)
        assert bool(set_elsewhere(bench, plan, assigned, conv)) == said
        assert not set_elsewhere(bench, plan, assigned, relu)
    assigned = bench.engine.assigned(Plan())
    names = bench.engine.graph.tensor_names
    shared = {names[tensor]: names[source] for tensor, source in assigned.scale_of.items()}
    assert shared
    for tensor, source in shared.items():
        assert source in set_elsewhere(bench, Plan(), assigned, tensor)
