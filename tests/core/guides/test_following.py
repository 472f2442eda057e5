"""The way through a flow: what is found out, what is written down, and where one is."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.case.scenarios.found import Discovered, FoundFile
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import GivenFiles, GuideProgress
from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow.guides.following import (
    begun,
    found_out,
    is_of,
    judged_of,
    proposed_of,
    read_number,
    seen_in_result,
    seen_now,
    told,
    told_text,
    with_file,
    with_number,
)
from errorflow.guides.judging import carried_file, finished, led, now, state_of
from errorflow.guides.lying import facts_of, filling_of, labelled_of, row_of
from errorflow.guides.model import Flow, SeenResult, Step, Way
from errorflow.guides.table import flow_of
from errorflow.guides.writing import hows_of
from errorflow.quant.plan import Plan
from errorflow.study.align.model import Alignment, AlignRow, AlignSide, Stage
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.rank.asked import Part
from errorflow.study.rank.curves import Curve, Curves, Kind, Measure, Point
from errorflow.study.search.model import Choice, Search, SearchRequest, Tried
from errorflow.study.simulate.trial import Accuracy

WHEN = "2026-01-31 17:05"


@pytest.fixture
def flow() -> Flow:
    return flow_of("ascend-caffe")


def step_of(flow: Flow, key: str) -> Step:
    found = flow.step(key)
    assert found is not None
    return found


def test_one_begins_at_the_first_step_with_the_files_that_are_known(flow: Flow) -> None:
    given = GivenFiles(Path("net.prototxt"), soc_version="Ascend310P3")
    progress = begun(flow, {"target": "ascend"}, GuideProgress(given=given))
    assert now(flow, progress) is flow.steps[0] and progress.given == given
    assert [state_of(flow, progress, step) for step in flow.steps] == ["now", *["later"] * 6]


def test_what_was_found_ends_the_step_and_leads_on(flow: Flow) -> None:
    step = step_of(flow, "conversion")
    progress = GuideProgress("ascend-caffe", at="conversion")
    seen = SeenResult({"output_cosine": 0.9}, {"kind": "node error", "verdict": "conv1.", "nodes": "conv1, conv2"})
    progress = found_out(progress, step, seen, WHEN, {"fusion": Path("net.json")})
    known = progress.step("conversion")
    assert (known.outcome, known.when, known.files) == ("node error", WHEN, {"fusion": Path("net.json")})
    assert state_of(flow, progress, step) == "failed" and facts_of(flow, progress).node == "conv1"
    way = step.way(known.outcome)
    assert way is not None
    assert now(flow, led(progress, way)).key == "node"


def test_a_step_that_is_done_once_more_is_open_again(flow: Flow) -> None:
    progress = finished(GuideProgress("ascend-caffe"), step_of(flow, "quantization"), "failed", WHEN)
    progress = finished(progress, step_of(flow, "requantize"), "passed", WHEN)
    progress = led(progress, Way("passed", "quantization", "Again."))
    assert state_of(flow, progress, step_of(flow, "quantization")) == "now"
    assert state_of(flow, progress, step_of(flow, "requantize")) == "done"


def test_a_way_may_lead_into_another_flow() -> None:
    quick = flow_of("ascend-onnx-quick")
    way = quick.steps[0].way("failed")
    assert way is not None
    there = led(GuideProgress("ascend-onnx-quick", at="quick", given=GivenFiles(Path("net.onnx"))), way)
    assert (there.flow, there.at, there.given.model) == ("ascend-onnx", "quantization", Path("net.onnx"))


def test_a_step_done_by_hand_is_ended_by_the_user_alone() -> None:
    flow = flow_of("horizon")
    progress = found_out(GuideProgress("horizon"), step_of(flow, "config"), SeenResult({"alike": 1.0}), WHEN, {})
    assert progress.step("config").outcome == "" and progress.step("config").numbers == {"alike": 1.0}


def test_what_an_earlier_step_was_given_is_taken(flow: Flow, tmp_path: Path) -> None:
    progress = with_file(GuideProgress("ascend-caffe"), step_of(flow, "conversion"), "fusion", tmp_path / "off.json")
    fusion = step_of(flow, "fusion")
    assert carried_file(flow, progress, fusion, "closed_fusion") == tmp_path / "off.json"
    setup = filling_of(flow, fusion, progress).setup(row_of(fusion))
    assert setup.files == {"closed_fusion": tmp_path / "off.json"} and setup.scenario == "npu-npu"
    own = with_file(progress, fusion, "closed_fusion", tmp_path / "own.json")
    assert filling_of(flow, fusion, own).setup(row_of(fusion)).files == {"closed_fusion": tmp_path / "own.json"}


def test_numbers_that_the_user_writes_down_judge_the_step(flow: Flow) -> None:
    step = step_of(flow, "quantization")
    progress = with_number(GuideProgress("ascend-caffe"), step, "float_accuracy", 0.76, WHEN)
    assert progress.step("quantization").outcome == ""
    progress = with_number(progress, step, "accuracy", 0.72, WHEN)
    assert progress.step("quantization").outcome == "failed"
    progress = with_number(progress, step, "accuracy", None, WHEN)
    assert progress.step("quantization").outcome == ""


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("accuracy", "0.788", 0.788),
        ("accuracy", "78.8 %", 0.788),
        ("accuracy", "78.8", 0.788),
        ("accuracy", "78,8%", 0.788),
        ("accuracy", "  ", None),
        ("calibration_images", "32", 32.0),
        ("weights_end", "0.9988", 0.9988),
    ],
)
def test_numbers_are_read_as_people_write_them(name: str, text: str, value: float | None) -> None:
    found = read_number(name, text)
    assert found is None if value is None else found == pytest.approx(value)


@pytest.mark.parametrize(
    ("name", "text"), [("accuracy", "much"), ("accuracy", "-1"), ("accuracy", "788"), ("calibration_images", "1.5")]
)
def test_what_is_no_such_number_is_said(name: str, text: str) -> None:
    with pytest.raises(UsageError):
        read_number(name, text)


def test_only_the_comparison_of_the_step_counts(flow: Flow) -> None:
    step = step_of(flow, "fusion")
    assert is_of(step, Setup("npu-npu")) and not is_of(step, Setup("npu")) and not is_of(step, None)


def test_answers_that_were_counted_are_taken() -> None:
    step = step_of(flow_of("onnx"), "accuracy")
    accuracy = Accuracy("labels.txt", 200, {"top-1": 150}, {"top-1": 160})
    seen = seen_now(step, accuracy=accuracy)
    assert seen.numbers == {"float_accuracy": 0.8, "accuracy": 0.75}


def test_what_was_found_is_told_for_a_ticket(flow: Flow) -> None:
    step = step_of(flow, "quantization")
    progress = with_number(GuideProgress("ascend-caffe"), step, "float_accuracy", 0.76, WHEN)
    progress = with_number(progress, step, "accuracy", 0.74, WHEN)
    (line,) = told(flow, progress)
    assert (line.title, line.outcome, line.when) == (step.title, "look closer", WHEN)
    assert line.text.startswith("Top-N accuracy: 76.00% in float, 74.00% quantized")
    assert told_text(flow, progress).splitlines()[0] == flow.title
    assert state_of(flow, progress, step) == "close"


@pytest.mark.parametrize("original", [None, Path("out/net 1.onnx")])
def test_what_is_run_here_is_onnx_whatever_the_original_model_is_in(flow: Flow, original: Path | None) -> None:
    progress = GuideProgress("ascend-caffe", given=GivenFiles(Path("nets/net 1.prototxt")))
    progress = with_file(progress, step_of(flow, "quantization"), "original", original)
    calls = [do.call(facts_of(flow, progress)) for step in flow.steps for do in step.do if do.call is not None]
    ours = [call for call in calls if call.split()[1] in ("evaluate", "search", "export")]
    name = "net 1.onnx" if original is None else "out/net 1.onnx"
    assert len(ours) == 4 and all(f"'{name}'" in call for call in ours)


def test_a_tensorflow_model_is_not_taken_for_its_export() -> None:
    flow = flow_of("ascend-tensorflow-float")
    progress = with_file(GuideProgress(flow.key), flow.steps[0], "original", Path("net.onnx"))
    assert facts_of(flow, progress).model == "model.pb"


def test_samples_are_given_once_for_all_steps(tmp_path: Path) -> None:
    flow = flow_of("onnx")
    progress = with_file(GuideProgress("onnx"), step_of(flow, "nodes"), "samples", tmp_path / "my samples")
    progress = with_file(progress, step_of(flow, "nodes"), "labels", tmp_path / "y.txt")
    accuracy = step_of(flow, "accuracy")
    files = filling_of(flow, accuracy, progress).setup(row_of(accuracy)).files
    assert files == {"samples": tmp_path / "my samples", "labels": tmp_path / "y.txt"}
    call = accuracy.do[0].call
    assert call is not None
    assert f"--data '{tmp_path}/my samples' --labels {tmp_path}/y.txt" in call(facts_of(flow, progress))


def test_what_the_quick_check_found_goes_along_to_the_three_steps() -> None:
    quick = flow_of("ascend-onnx-quick")
    step = step_of(quick, "quick")
    progress = GuideProgress(quick.key, at="quick")
    files = {"candidate": Path("npu"), "reference": Path("golden"), "quantization": Path("quant.json")}
    seen = SeenResult({"float_accuracy": 0.98, "accuracy": 0.9})
    progress = found_out(progress, step, seen, WHEN, files)
    way = step.way(progress.step("quick").outcome)
    assert way is not None
    after, flow = led(progress, way), flow_of("ascend-onnx")
    assert (after.flow, after.at) == ("ascend-onnx", "quantization")
    known = after.step("quantization")
    assert known.files == {key: files[key] for key in ("reference", "quantization")}  # it takes no dump of an NPU
    assert known.numbers == {"float_accuracy": 0.98} and not known.outcome
    assert [each.outcome for each in told(flow, after)] == ["failed"]
    assert "Original model against the quantized model on the NPU: failed" in told_text(flow, after)


def test_only_what_belongs_to_the_case_is_the_guides() -> None:
    fresh = GuideProgress("onnx")
    assert fresh.is_about(Path("a/net.onnx"), ())
    typed = fresh.with_step("accuracy", numbers={"accuracy": 0.9})
    assert not typed.is_about(Path("a/net.onnx"), ())
    known = GuideProgress("onnx", given=GivenFiles(Path("a/net.onnx")))
    assert known.is_about(Path("a/net.onnx"), ())
    assert known.is_about(Path("a/out/net.json"), (Path("a/npu"),))
    assert not known.is_about(Path("b/net.onnx"), (Path("b/npu"),))
    assert not known.is_about(Path("a/other.onnx"), ())


def test_commands_feed_the_inputs_that_were_found() -> None:
    model, inputs = Path("bad/model.onnx"), Path("bad/my inputs.npz")
    found = (
        FoundFile(model, "onnx", tensors=("image",)),
        FoundFile(inputs, "arrays", tensors=("image",)),
        FoundFile(Path("bad/run.npz"), "arrays", tensors=("image", "conv1", "y")),
    )
    progress = GuideProgress("ascend-onnx", given=GivenFiles(model))
    facts = facts_of(flow_of("ascend-onnx"), progress, Discovered((Path("bad"),), found), Path("bad.errorflow"))
    assert (facts.inputs, facts.samples, facts.input_name) == (str(inputs), str(inputs), "image")
    texts = [how.text(facts) for step in flow_of("ascend-onnx").steps for how in hows_of(step)]
    assert any("--inputs 'bad/my inputs.npz'" in text for text in texts)
    assert any('numpy.savez("inputs.npz", image=numpy.load("preprocessed.npy"))' in text for text in texts)
    last = flow_of("ascend-onnx").steps[-1].do[0].call
    assert last is not None and last(facts) == "errorflow report bad.errorflow -o bad.html"


class TestResults:
    """What the app worked out is the result of the step that asked for it."""

    def test_curves_of_weights_and_activations_alone(self) -> None:
        step = step_of(flow_of("horizon"), "curves")
        seen = seen_in_result(step, curves("cumulative", {"weights only": [1, 0.95], "activations only": [1, 0.999]}))
        progress = found_out(GuideProgress("horizon", at="curves"), step, seen, WHEN, {})
        assert progress.step("curves").outcome == "close" and step.way("close") is not None
        assert "weights cost more" in judged_of(progress, step).checked[0].text

    def test_a_curve_of_partial_quantization_is_a_proposal_to_go_on(self) -> None:
        step = step_of(flow_of("horizon"), "partial")
        kept = curves("partial", {"kept": [0.9, 0.996, 0.997, 0.9972, 0.9973, 0.9974]})
        progress = found_out(GuideProgress("horizon", at="partial"), step, seen_in_result(step, kept), WHEN, {})
        assert progress.step("partial").outcome == "" and proposed_of(progress, step) == "passed"
        assert "0.996000 with the first 1 of 5 in float, 0.900000 with none" in judged_of(progress, step).evidence
        assert proposed_of(finished(progress, step, "failed", WHEN), step) == ""

    def test_curves_of_another_kind_say_nothing_of_a_step(self) -> None:
        step = step_of(flow_of("horizon"), "curves")
        assert not seen_in_result(step, curves("partial", {"kept": [0.9, 0.99]})).numbers

    @pytest.mark.parametrize(("fault", "proposed"), [(None, "passed"), ("input", "failed")])
    @pytest.mark.parametrize(("flow", "key"), [("horizon", "config"), ("pulsar2", "deployment")])
    def test_two_pipelines_propose_and_the_user_ends_the_step(
        self, flow: str, key: str, fault: Stage | None, proposed: str
    ) -> None:
        step, side = step_of(flow_of(flow), key), AlignSide("x", (1,), "float32")
        found = Alignment((AlignRow("input", "x", 1e-4, side, side),), fault, "They are.")
        progress = found_out(GuideProgress(flow, at=key), step, seen_in_result(step, found), WHEN, {})
        assert progress.step(key).outcome == "" and proposed_of(progress, step) == proposed

    @pytest.mark.parametrize(("flow", "key"), [("ascend-onnx", "requantize"), ("onnx", "nodes")])
    def test_a_search_says_which_nodes_are_enough(self, flow: str, key: str) -> None:
        step = step_of(flow_of(flow), key)
        tried = (Tried(0, Choice(), 0.7, False, 0.1), Tried(1, Choice.of([1]), 0.79, True, 0.0))
        search = Search(
            SearchRequest(), Plan(), "top-1", "≥ 0.78", True, parts=(part("conv1"), part("conv2")), tried=tried
        )
        progress = found_out(GuideProgress(flow, at=key), step, seen_in_result(step, search), WHEN, {})
        assert proposed_of(progress, step) == "passed" and "conv2" in judged_of(progress, step).evidence

    @pytest.mark.parametrize("key", ["smooth", "endtoend"])
    def test_loud_channels_that_were_looked_for_are_held_against_pulsar2s_level(self, key: str) -> None:
        step = step_of(flow_of("pulsar2"), key)
        loud = Outliers("a", "activation", 1, np.array([80.0, 1.0, 1.0, 80.0]))
        table = OutlierTable("m", (Outliers("b", "activation", 1, np.ones(4)), loud))
        progress = found_out(GuideProgress("pulsar2", at=key), step, seen_in_result(step, table), WHEN, {})
        found = next(each.text for each in judged_of(progress, step).checked if "level 3" in each.text)
        assert "50% of the channels of a" in found and not progress.step(key).outcome

    def test_a_search_that_leaves_nothing_quantized_found_nothing(self) -> None:
        step = step_of(flow_of("onnx"), "nodes")
        tried = (Tried(0, Choice.of([0]), 0.79, True, 0.0, is_original=True),)
        search = Search(
            SearchRequest(), Plan(), "top-1", "≥ 0.78", True, parts=(part("conv1"),), tried=tried, complete=True
        )
        assert seen_in_result(step, search).numbers["search_met"] == 0


def test_the_form_on_accuracy_begins_with_what_any_step_was_given(flow: Flow) -> None:
    progress = with_file(GuideProgress("ascend-caffe"), step_of(flow, "requantize"), "samples", Path("data"))
    assert labelled_of(flow, progress, {}) == LabelledSet(("data",))
    progress = with_file(progress, step_of(flow, "requantize"), "labels", Path("labels.txt"))
    assert labelled_of(flow, progress, {}) == LabelledSet(("data",), Path("labels.txt"))
    assert labelled_of(flow, progress, {"samples": Path("found")}).data == ("found",)


def curves(kind: Kind, lines: dict[str, list[float]]) -> Curves:
    """Of one sample, in cosine similarity."""
    made = [np.array(values).reshape(1, -1, 1) for values in lines.values()]
    measure: Measure = "accumulated" if kind == "cumulative" else "recovery"
    found = [
        Curve(label, measure, each, np.ones(each.shape[1:], bool)) for label, each in zip(lines, made, strict=True)
    ]
    points = tuple(Point(str(number)) for number in range(made[0].shape[1]))
    return Curves(kind, Plan(), ("cosine",), (0,), points, tuple(found))


def part(name: str) -> Part:
    return Part(name, "Conv", (name,), (name,))
