"""What an engine measures, what it runs again and what it knows."""

import multiprocessing
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import Cancelled
from errorflow.base.workers import WorkerError
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.compare.split import split
from errorflow.quant.plan import ACTIVATIONS, FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.run.engine.engine import TEXT, Budget, Engine
from onnx_models import graph, model, value, weight
from rerun_nets import ALL, Case, Opened, calibration, case, every_tensor

SMALL = Budget(segments=5)
IN_FLOAT = Plan(FLOAT, FLOAT)


@pytest.fixture
def residual(tmp_path: Path) -> Case:
    return case("residual", tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_errors_are_those_of_the_values(name: str, opened: Opened) -> None:
    _, engine = opened(name)
    plan = Plan(Precision("uint8"), Precision("int8", symmetric=True, per_channel=True))
    table = engine.run(plan)
    for sample in range(engine.samples):
        golden, mine = engine.values(None, engine.tensors, sample), engine.values(plan, engine.tensors, sample)
        for tensor in engine.tensors:
            want, found = sums(_numbers(golden[tensor]), _numbers(mine[tensor])), table.sums(tensor, sample)
            assert found is not None
            for metric in METRICS:
                assert metric.of(found) == pytest.approx(metric.of(want), rel=1e-5, abs=1e-9), (tensor, metric.key)


def _numbers(values: np.ndarray) -> np.ndarray:
    return values.astype(np.uint8) if values.dtype == bool else values


@pytest.mark.parametrize("name", ["crossing", "attention", "deciding", "residual"])
def test_parts_are_those_of_each_node_run_once_more_on_the_candidates_inputs(name: str, opened: Opened) -> None:
    case, engine = opened(name)
    table = engine.run(Plan(), samples=[0], split=True)
    golden, mine = engine.values(None, engine.tensors), engine.values(Plan(), engine.tensors)
    proto = onnx.load(case.path)
    for node in proto.graph.node:
        again = _alone(proto, node, mine)
        for tensor in set(again) & set(engine.tensors):
            want = split(mine[tensor], again[tensor], golden[tensor])
            found = [table.part(part)[0, table.places[tensor]] for part in ("introduced", "inherited", "share")]
            expected = pytest.approx([want.introduced, want.inherited, want.share], rel=1e-4, abs=1e-7, nan_ok=True)
            if _numbers(golden[tensor]).dtype == np.float32:
                assert found == expected, tensor


def _alone(proto: onnx.ModelProto, node: onnx.NodeProto, values: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A node on its own, on values that are there."""
    body = [name for a in node.attribute for inner in a.g.node for name in inner.input]
    fed = {name: values[name] for name in dict.fromkeys((*node.input, *body)) if name in values}
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in fed.items()
    ]
    constants = [other for other in proto.graph.node if other.op_type == "Constant" and other is not node]
    main = graph(*constants, node, inputs=inputs, weights=list(proto.graph.initializer))
    single = helper.make_model(main, opset_imports=proto.opset_import, ir_version=10)
    found = every_tensor(single, fed)
    return {name: found[name] for name in node.output if name}


@pytest.mark.parametrize("name", ["crossing", "attention", "residual"])
def test_the_error_of_a_node_is_that_of_the_node_alone_in_codes(name: str, opened: Opened) -> None:
    _, engine = opened(name)
    plan = Plan(weights=FLOAT)
    both = engine.run(plan, samples=[0], node=True)
    graph_ = engine.graph
    assigned = engine.assigned(plan)
    for tensor, how in assigned.activations.items():
        name_ = graph_.tensor_names[tensor]
        if graph_.producers[tensor] < 0 or tensor in assigned.scale_of:
            continue
        read = {graph_.tensor_names[i] for i in graph_.node_inputs[int(graph_.producers[tensor])].tolist() if i >= 0}
        if read & {graph_.tensor_names[constant] for constant in assigned.constants}:
            continue  # its constants are coded as well
        alone = engine.run(IN_FLOAT.with_tensor(name_, how), [name_], [0])
        assert both.sums(name_, 0, "node") == alone.sums(name_, 0), name_


def test_a_toggle_runs_what_it_reaches_and_a_toggle_back_nothing(residual: Case) -> None:
    with Engine(residual.path, residual.samples, residual.calibration, SMALL) as engine:
        first = engine.run(Plan())
        assert first.ran == 2 * 2 * engine.segments, "both runs of both samples"
        last = [name for name in engine.tensors if name not in engine.outputs][-1]
        toggled = engine.run(Plan().with_tensor(last, FLOAT))
        assert toggled.ran == 2 and toggled.built == 1
        back = engine.run(Plan())
        assert (back.ran, back.built) == (0, 0)
        assert np.array_equal(back.rows, first.rows, equal_nan=True)
        assert engine.run(Plan().with_tensor(last, FLOAT)).ran == 0


def test_what_is_not_asked_for_does_not_run(residual: Case) -> None:
    with Engine(residual.path, residual.samples, residual.calibration, SMALL) as engine:
        table = engine.run(Plan(), engine.tensors[:1], [0])
        assert table.ran == 0, "an input is there already"
        assert table.sums(engine.tensors[-1], 0) is None
        assert engine.run(IN_FLOAT, engine.outputs, [0]).column(METRICS[0])[0, -1] == 1.0


@pytest.mark.parametrize(
    "budget", [Budget(0, 0, segments=7), Budget(40_000, 1 << 20, segments=3), Budget(segments=1), Budget(segments=99)]
)
def test_a_budget_changes_how_long_it_takes_and_no_number(budget: Budget, residual: Case) -> None:
    plans = (Plan(), Plan().with_tensor("image", FLOAT), Plan(FLOAT), IN_FLOAT)
    tables = []
    for each in (SMALL, budget):
        with Engine(residual.path, residual.samples, residual.calibration, each) as engine:
            tables.append([engine.run(plan, split=True, node=True).rows for plan in plans])
    for one, other in zip(*tables, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("name", ["residual", "attention", "deciding"])
@pytest.mark.parametrize("threads", [2, 3])
def test_so_do_threads(name: str, threads: int, tmp_path: Path) -> None:
    net = case(name, tmp_path, samples=5)
    plans = [Plan(), Plan(FLOAT), IN_FLOAT, *(Plan().keeping_float(node) for node in ("*1", "*2", "*3")), Plan()]
    tables = []
    for each in (1, threads):
        with Engine(net.path, net.samples, net.calibration, Budget(segments=5, threads=each)) as engine:
            both = engine.run(Plan(), split=True, node=True)
            tables.append([both.rows, *(table.rows for table in engine.run_many(plans))])
    for one, other in zip(*tables, strict=True):
        assert np.array_equal(one, other, equal_nan=True)


def test_many_plans_are_answered_as_each_of_them(opened: Opened) -> None:
    _, engine = opened("residual")
    plans = [Plan(), *(Plan().with_tensor(name, FLOAT) for name in engine.tensors)] * 2
    asked = [*engine.outputs, engine.tensors[1]]
    told = _Told()
    tables = list(engine.run_many(iter(plans), asked, [1, 0], text="Trying", progress=told))
    assert len(tables) == len(plans)
    for plan, table in zip(plans, tables, strict=True):
        alone = engine.run(plan, asked, [1, 0])
        assert (table.tensors, table.samples) == (alone.tensors, alone.samples)
        assert np.array_equal(table.rows, alone.rows, equal_nan=True)
    assert told.seen == sorted(told.seen) and told.totals == {len(plans)} and told.texts == {"Trying"}


class _Told:
    """Remembers what it was told, but for waiting."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.totals: set[int] = set()
        self.texts: set[str] = set()

    def step(self, done: int, total: int, text: str) -> None:
        if total:
            self.seen.append(done)
            self.totals.add(total)
            self.texts.add(text)


def test_many_plans_can_be_cancelled(residual: Case) -> None:
    with Engine(residual.path, residual.samples * 20, residual.calibration, Budget(segments=9)) as engine:
        plans = [Plan().keeping_float("*1"), Plan().keeping_float("*2")] * 20
        with pytest.raises(Cancelled):
            list(engine.run_many(plans, progress=_Stopping(1)))
        assert list(engine.run_many([], progress=_Stopping(0))) == []
        assert len(list(engine.run_many(plans[:1], engine.outputs, [0]))) == 1


def test_a_run_that_needs_too_much_memory_is_refused_before_it_starts(residual: Case) -> None:
    with pytest.raises(UsageError, match="needs about"):
        Engine(residual.path, residual.samples, residual.calibration, Budget(run=10))


def test_without_ranges_activations_stay_in_float_and_it_is_said(residual: Case) -> None:
    with Engine(residual.path, residual.samples[:1], None, SMALL) as engine:
        table = engine.run(Plan())
        assert table.notes["image"] == "its range is not known"
        alone = engine.run(Plan(FLOAT))
        assert np.array_equal(table.rows, alone.rows, equal_nan=True)


def test_weights_beside_the_model_are_read_where_they_lie(residual: Case, tmp_path: Path) -> None:
    place = tmp_path / "outside"
    place.mkdir()
    onnx.save(
        onnx.load(residual.path), place / "net.onnx", save_as_external_data=True, location="w.bin", size_threshold=0
    )
    tables = []
    for path in (residual.path, place / "net.onnx"):
        with Engine(path, residual.samples, residual.calibration, SMALL) as engine:
            tables.append(engine.run(Plan(), split=True).rows)
    inside, outside = tables
    assert np.array_equal(inside, outside, equal_nan=True)


class _Stopping:
    """Cancels at once, or when it has been asked often enough."""

    def __init__(self, after: int) -> None:
        self.left = after

    def step(self, done: int, total: int, text: str) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_a_cancel_leaves_what_was_found(residual: Case) -> None:
    many = residual.samples * 20
    with Engine(residual.path, many, residual.calibration, Budget(segments=9)) as engine:
        first = engine.run(Plan(), samples=[0])
        with pytest.raises(Cancelled):
            engine.run(Plan().with_tensor("image", FLOAT), progress=_Stopping(1), split=True, node=True)
        assert engine.run(Plan(), samples=[0]).ran in (0, first.ran), "kept, or found again where it had to be ended"


def test_a_crash_is_a_sentence_and_the_next_call_starts_again(residual: Case) -> None:
    with Engine(residual.path, residual.samples[:1], residual.calibration, SMALL) as engine:
        first = engine.run(Plan())
        for child in multiprocessing.active_children():
            if child.name == TEXT:
                child.kill()
                child.join()
        try:
            again = engine.run(Plan())
        except WorkerError as error:
            assert "was ended from outside" in error.message
            again = engine.run(Plan())
        assert np.array_equal(again.rows, first.rows, equal_nan=True)


def test_samples_must_have_all_inputs(residual: Case) -> None:
    with pytest.raises(UsageError, match="Sample 1 lacks the input image"):
        Engine(residual.path, [{"other": residual.samples[0]["image"]}])
    with pytest.raises(UsageError, match="nothing to simulate"):
        Engine(residual.path, [])


def test_channels_of_a_tensor_are_measured_on_demand(opened: Opened) -> None:
    _, engine = opened("residual")
    tensor = next(name for name in engine.tensors if len(engine.shapes[name]) == 4 and name != "image")
    found = engine.measured(Plan(), tensor)
    table = engine.run(Plan(), [tensor], [0])
    assert found.channels is not None and found.channels.count == engine.shapes[tensor][1]
    for metric in METRICS:
        assert metric.of(table.sums(tensor, 0) or sums([], [])) == pytest.approx(found.values[metric.key], rel=1e-5)


def test_an_unknown_tensor_is_a_sentence(opened: Opened) -> None:
    with pytest.raises(UsageError, match="No node of the model makes nonsense"):
        opened("residual")[1].values(Plan(), ["nonsense"])
    with pytest.raises(UsageError, match="No node of the model makes nonsense"):
        opened("residual")[1].run(Plan(), ["nonsense"])


def test_a_sample_that_is_not_there_is_a_sentence(opened: Opened) -> None:
    with pytest.raises(UsageError, match="There is no sample 3"):
        opened("residual")[1].run(Plan(), samples=[2])


def test_what_else_is_in_a_sample_is_no_tensor_of_the_model(residual: Case) -> None:
    inner = next(name for name in residual.runs[0] if name not in residual.samples[0])
    more = [residual.samples[0] | {inner: np.zeros_like(residual.runs[0][inner])}]
    with Engine(residual.path, more, residual.calibration, SMALL) as engine:
        assert np.array_equal(engine.values(None, [inner])[inner], residual.runs[0][inner])


def test_a_model_that_computes_nothing_has_its_input(tmp_path: Path) -> None:
    path = tmp_path / "nothing.onnx"
    held = helper.make_node("Constant", [], ["y"], value=weight("", np.ones(2, np.float32)))
    onnx.save(model(graph(held, inputs=[value("x")], outputs=[value("y")])), path)
    with Engine(path, [{"x": np.ones(2, np.float32)}]) as engine:
        assert (engine.segments, engine.tensors) == (0, ("x",))
        assert engine.run(Plan()).column(METRICS[0]).tolist() == [[1.0]]


def test_an_operator_that_nobody_knows_is_a_sentence(tmp_path: Path) -> None:
    node = helper.make_node("Strange", ["x"], ["y"], domain="of.ours")
    path = tmp_path / "strange.onnx"
    onnx.save(model(graph(node, inputs=[value("x")], outputs=[value("y")]), {"": 17, "of.ours": 1}), path)
    with pytest.raises(ErrorflowError, match=r"of\.ours:Strange"):
        Engine(path, [{"x": np.ones(2, np.float32)}])


def test_what_is_no_number_is_found_where_it_begins(tmp_path: Path) -> None:
    """The logarithm of what codes have made zero is hidden by the codes of its own."""
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], "relu"),
        helper.make_node("Log", ["r"], ["l"], "log"),
        helper.make_node("Add", ["l", "one"], ["y"], "add"),
    ]
    path = tmp_path / "log.onnx"
    main = graph(*nodes, inputs=[value("x", (3,))], outputs=[value("y", None)], weights=[weight("one", np.float32(1))])
    proto = model(main, ir_version=10)
    onnx.save(proto, path)
    samples = [{"x": np.array(row, np.float32)} for row in ([1, 2, 3], [1e-4, 2, 3], [0, 2, 3], [np.nan, 1, 2])]
    runs = tuple(sample | every_tensor(proto, sample) for sample in samples[:2])
    with Engine(path, samples, calibration(runs)) as engine:
        found = [(each.sample, each.tensor, each.side, each.what) for each in engine.run(Plan()).broken()]
    assert found == [
        (1, "l", "candidate", "NaN or infinite before it was coded"),
        (2, "l", "reference", "infinite"),
        (3, "x", "reference", "NaN"),
    ]


def test_the_plans_of_a_tensor_share_what_lies_before_it(residual: Case) -> None:
    with Engine(residual.path, residual.samples[:1], residual.calibration, SMALL) as engine:
        engine.run(IN_FLOAT, engine.outputs)
        last = [name for name in engine.tensors if name not in engine.outputs][-1]
        assert engine.run(IN_FLOAT.with_tensor(last, ACTIVATIONS), engine.outputs).ran == 1


def test_who_asks_a_closed_engine_is_told_so_and_no_process_begins(residual: Case) -> None:
    with Engine(residual.path, residual.samples, residual.calibration, SMALL) as engine:
        others = multiprocessing.active_children()
    with pytest.raises(UsageError, match="has ended"):
        engine.values(None, engine.tensors)
    assert len(multiprocessing.active_children()) < len(others)


def test_who_waits_for_an_answer_is_told_of_the_end(residual: Case) -> None:
    class Closing:
        """Closes it as soon as it is at work."""

        def __init__(self, engine: Engine) -> None:
            self.engine = engine
            self.thread = threading.Thread(target=engine.close)

        def step(self, done: int, total: int, text: str) -> None:
            if self.thread.ident is None:
                self.thread.start()

    with Engine(residual.path, residual.samples, residual.calibration, SMALL) as engine:
        closing = Closing(engine)
        with pytest.raises(UsageError, match="has ended"):
            for _ in range(1000):
                engine.run(Plan(), split=True, progress=closing)
        closing.thread.join()
