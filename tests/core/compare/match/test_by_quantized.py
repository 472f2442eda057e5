"""A quantized ONNX model finds the float model that it was made of."""

import logging
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare import Comparison, compare_match
from errorflow.compare.match.by_quantized import INSIDE, NO_SCALE, match_quantized
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.match.quantized.places import QuantizedValues
from errorflow.compare.match.rules import RULE_OF
from errorflow.formats import read_model, read_tensors
from errorflow.graph.qparams import QParams
from errorflow.run.both import RunInputs, run_both
from onnx_models import graph, model, relu, value, weight
from run_models import floats, savez

CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")
TRANSFORMER = next(sample for sample in SAMPLES if sample.key == "transformer")


class Calibration:
    """As ONNX Runtime's quantizer asks for it: one input after the other."""

    def __init__(self, sample: Sample) -> None:
        with np.load(sample.calibration) as stored:
            self._inputs = stored["image"][:8]
        self._at = iter(range(len(self._inputs)))

    def get_next(self) -> Mapping[str, NDArray[np.float32]] | None:
        at = next(self._at, None)
        return None if at is None else {"image": self._inputs[at : at + 1]}


def quantize(sample: Sample, form: str, folder: Path) -> Path:
    """What ONNX Runtime's quantizer makes of a sample."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

    CalibrationDataReader.register(Calibration)
    path = folder / f"{form}.onnx"
    logging.disable(logging.WARNING)  # it advises on models of all kinds
    model = shutil.copy(sample.model, path.with_name("float.onnx"))  # it writes beside the model
    quantize_static(str(model), str(path), Calibration(sample), quant_format=QuantFormat[form])
    logging.disable(logging.NOTSET)
    return path


@pytest.fixture(scope="module", params=["QDQ", "QOperator"])
def quantized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quantize(CLEAN, request.param, tmp_path_factory.mktemp("quantized"))


def compared(candidate: Path, reference: Path, inputs: Path, folder: Path) -> tuple[Match, Comparison]:
    both = run_both(candidate, reference, RunInputs([inputs]), folder)
    runs = read_tensors(both.reference_run.path), read_tensors(both.candidate_run.path)
    match = match_quantized(*runs, both.reference.graph, both.candidate.graph)
    return match, compare_match(match)


def by_reference(match: Match) -> dict[str, Pair]:
    return {pair.reference.info.name: pair for pair in match.pairs if pair.reference is not None}


def test_every_value_that_the_quantizer_kept_finds_its_float(quantized: Path, tmp_path: Path) -> None:
    match, comparison = compared(quantized, CLEAN.model, CLEAN.reference_run, tmp_path)
    shape = read_model(CLEAN.model).graph
    pairs = by_reference(match)
    assert len(pairs) == len(match.pairs) == 32
    for node, name in enumerate(shape.node_names):
        tensor = shape.tensor_names[shape.node_outputs[node][0]]
        fused = shape.op_types[node] == "Conv" and "project" not in name
        assert (pairs[tensor].note == INSIDE) == fused, name
        assert bool(pairs[tensor].rule) != fused, name
    assert min(row.values["cosine"] for row in comparison.rows if row.values) > 0.99
    assert match.network_outputs == ("probabilities",)
    assert match.only_reference == match.only_candidate == ()


def test_codes_become_real_values(tmp_path: Path, quantized: Path) -> None:
    _, comparison = compared(quantized, CLEAN.model, CLEAN.reference_run, tmp_path)
    in_codes = [row for row in comparison.rows if row.candidate is not None and "int8" in row.candidate.dtype]
    assert bool(in_codes) == ("QOperator" in quantized.name)
    assert all("candidate dequantized" in row.done[0] for row in in_codes)


def test_the_relu_that_was_drawn_in_is_what_the_codes_stand_for(tmp_path: Path, quantized: Path) -> None:
    match, _ = compared(quantized, CLEAN.model, CLEAN.reference_run, tmp_path)
    pair = by_reference(match)["/stem/act/Relu_output_0"]
    assert pair.node.startswith("/stem/conv/Conv")
    assert pair.candidate is not None
    assert RULE_OF[pair.rule].certain


@pytest.mark.parametrize("form", ["QDQ", "QOperator"])
def test_a_transformer_is_matched_throughout(form: str, tmp_path: Path) -> None:
    """With codes that are only reshaped and transposed, and projections that are alike."""
    _, comparison = compared(
        quantize(TRANSFORMER, form, tmp_path), TRANSFORMER.model, TRANSFORMER.reference_run, tmp_path
    )
    assert all(row.values for row in comparison.rows)
    codes = {row.tensor: row.values["cosine"] for row in comparison.rows}
    moved = [name for name in codes if "Reshape" in name or "Transpose" in name]
    assert moved and min(codes[name] for name in moved) > 0.8


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_samples_match_by_names(sample: Sample, tmp_path: Path) -> None:
    match, comparison = compared(sample.candidate_model, sample.model, sample.reference_run, tmp_path)
    rules = Counter(pair.rule for pair in match.pairs)
    assert rules == {"tensor-name": len(match.pairs) - 1, "dequantized": 1}  # only the input has another name behind
    recorded = read_tensors(sample.candidate_run)
    for pair in match.pairs:
        assert pair.candidate is not None
        name = pair.candidate.info.name
        if name in recorded.names():
            assert np.array_equal(pair.candidate.read(), recorded.read(name))
    assert all(row.values for row in comparison.rows)


def save(folder: Path, name: str, proto: onnx.ModelProto) -> Path:
    onnx.save(proto, folder / name)
    return folder / name


def in_codes(*branches: str) -> onnx.ModelProto:
    """x → Quantize → a QLinearMatMul per branch → Dequantize, with names that say nothing."""
    scales = [weight("s", np.float32(0.02)), weight("z", np.int8(0)), weight("w", np.eye(4, dtype=np.int8))]
    scales += [weight(f"y{at}s", np.float32(0.0005)) for at in range(len(branches))]
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["t0"])]
    for at, name in enumerate(branches):
        nodes += [
            helper.make_node("QLinearMatMul", ["t0", "s", "z", "w", "s", "z", f"y{at}s", "z"], [f"t{at}_1"], name),
            helper.make_node("DequantizeLinear", [f"t{at}_1", f"y{at}s", "z"], [f"t{at}_2"]),
        ]
    outputs = [value(f"t{at}_2", None) for at in range(len(branches))]
    return model(graph(*nodes, inputs=[value("x", (1, 4))], outputs=outputs, weights=scales), ir_version=10)


def in_float(*branches: str) -> onnx.ModelProto:
    nodes = [helper.make_node("MatMul", ["x", "v"], [f"{name}_out"], name) for name in branches]
    outputs = [value(f"{name}_out", None) for name in branches]
    eye = weight("v", np.eye(4, dtype=np.float32) / 50)
    return model(graph(*nodes, inputs=[value("x", (1, 4))], outputs=outputs, weights=[eye]), ir_version=10)


def rounded(tensor: str) -> list[onnx.NodeProto]:
    """As ONNX Runtime's quantizer names what is behind a tensor."""
    real = f"{tensor}_DequantizeLinear_Output"
    return [
        helper.make_node("QuantizeLinear", [tensor, f"{tensor}_s"], [f"{tensor}_QuantizeLinear_Output"]),
        helper.make_node("DequantizeLinear", [f"{tensor}_QuantizeLinear_Output", f"{tensor}_s"], [real]),
    ]


def test_a_tensor_behind_an_identity_has_a_partner_of_its_own(tmp_path: Path) -> None:
    """The one before it is rounded by another scale, and one that is not rounded stays as it is."""
    real = "_DequantizeLinear_Output"
    plain = [helper.make_node("Neg", ["x"], ["a"], "neg")]
    plain += [helper.make_node("Identity", [before], [name], name) for before, name in ("ab", "bc")]
    mine = [
        helper.make_node("Neg", ["x"], ["a"], "neg"),
        *rounded("a"),
        helper.make_node("Identity", [f"a{real}"], ["b"], "b"),
        *rounded("b"),
        helper.make_node("Identity", [f"b{real}"], ["c"], "c"),
    ]
    scales = [weight("a_s", np.float32(0.01)), weight("b_s", np.float32(0.25))]
    shapes = [
        model(graph(*nodes, inputs=[value("x", (4,))], outputs=[value("c", (4,))], weights=weights), ir_version=10)
        for nodes, weights in ((plain, []), (mine, scales))
    ]
    float_model, codes = (save(tmp_path, f"{at}.onnx", proto) for at, proto in enumerate(shapes))
    match, comparison = compared(codes, float_model, savez(tmp_path / "x.npz", {"x": floats(4)}), tmp_path)
    pairs = by_reference(match)
    assert {name: pair.tensor for name, pair in pairs.items()} == {"x": "x", "a": f"a{real}", "b": f"b{real}", "c": "c"}
    assert [pairs[name].node for name in "abc"] == ["neg", "b", "c"]
    errors = {row.tensor: row.values["relative_l2"] for row in comparison.rows}
    assert errors["x"] == 0 < errors[f"a{real}"] < errors[f"b{real}"] == errors["c"]


def test_a_tensor_that_is_rounded_for_each_reader_is_taken_by_its_own_name(tmp_path: Path) -> None:
    scales = [weight("x_s", np.float32(0.02))]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "x_s"], ["codes"]),
        helper.make_node("DequantizeLinear", ["codes", "x_s"], ["other"]),
        *rounded("x"),
    ]
    outputs = [value("other"), value("x_DequantizeLinear_Output")]
    proto = model(graph(*nodes, inputs=[value("x")], outputs=outputs, weights=scales), ir_version=10)
    values = QuantizedValues(read_model(save(tmp_path, "m.onnx", proto)).graph)
    names = list(values.graph.tensor_names)
    assert [names[values.best(names.index(name))] for name in ("x", "codes", "other")] == [
        "x_DequantizeLinear_Output",
        "other",
        "other",
    ]


def test_operators_alike_are_told_apart_by_their_names_and_that_is_a_guess(tmp_path: Path) -> None:
    reference = save(tmp_path, "float.onnx", in_float("q", "k"))
    candidate = save(tmp_path, "codes.onnx", in_codes("k_quant", "q_quant"))
    match, _ = compared(candidate, reference, savez(tmp_path / "x.npz", {"x": floats(1, 4)}), tmp_path)
    pairs = by_reference(match)
    assert pairs["q_out"].node == "q_quant" and pairs["k_out"].node == "k_quant"
    assert not RULE_OF[pairs["q_out"].rule].certain


def test_one_operator_at_its_place_is_certain_whatever_it_is_called(tmp_path: Path) -> None:
    reference = save(tmp_path, "float.onnx", in_float("q"))
    candidate = save(tmp_path, "codes.onnx", in_codes("anything"))
    match, comparison = compared(candidate, reference, savez(tmp_path / "x.npz", {"x": floats(1, 4)}), tmp_path)
    assert by_reference(match)["q_out"].rule == "same-place"
    row = next(row for row in comparison.rows if row.rule == "same-place")
    assert row.values["cosine"] > 0.99


def test_an_activation_that_is_still_there_is_not_drawn_in(tmp_path: Path) -> None:
    """The names differ throughout, and both models have the Relu."""
    models = []
    for name, label in (("float.onnx", "a"), ("other.onnx", "b")):
        nodes = [helper.make_node("Neg", ["x"], [f"{label}1"]), relu(f"{label}1", f"{label}2")]
        models.append(
            save(tmp_path, name, model(graph(*nodes, inputs=[value("x")], outputs=[value(f"{label}2")]), ir_version=10))
        )
    match, comparison = compared(models[1], models[0], savez(tmp_path / "x.npz", {"x": floats(2)}), tmp_path)
    assert [pair.tensor for pair in match.pairs] == ["x", "b1", "b2"]
    assert all(row.values["cosine"] == 1 for row in comparison.rows)


def test_two_models_that_have_nothing_in_common_say_so(tmp_path: Path) -> None:
    first = save(
        tmp_path, "a.onnx", model(graph(relu("x", "y"), inputs=[value("x")], outputs=[value("y")]), ir_version=10)
    )
    node = helper.make_node("Neg", ["p"], ["q"])
    other = save(tmp_path, "b.onnx", model(graph(node, inputs=[value("p")], outputs=[value("q")]), ir_version=10))
    match, _ = compared(other, first, savez(tmp_path / "x.npz", {"x": floats(2)}), tmp_path)
    assert not any(pair.rule for pair in match.pairs)
    assert match.problems[-1].text == "Nothing in the two models belongs together."


@pytest.mark.parametrize("declared", [True, False])
def test_codes_that_were_only_moved_keep_their_scale(declared: bool, tmp_path: Path) -> None:
    """Also where the model does not say that they are codes, and where only somebody further on says the scale."""
    scales = [weight("s", np.float32(0.02)), weight("z", np.int8(3)), weight("flat", np.array([4], np.int64))]
    nodes = [
        helper.make_node("Transpose", ["c"], ["t"]),
        helper.make_node("Reshape", ["t", "flat"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "s", "z"], ["out"]),
    ]
    main = graph(*nodes, inputs=[value("c", (2, 2), TensorProto.INT8)], outputs=[value("out", (4,))], weights=scales)
    if declared:
        main.value_info.append(value("t", (2, 2), TensorProto.INT8))
    onnx.save(model(main, ir_version=10), tmp_path / "m.onnx")
    values = QuantizedValues(read_model(tmp_path / "m.onnx").graph)
    for name in ("c", "t", "r"):
        tensor = values.graph.tensor_index(name)
        assert tensor is not None
        assert values.qparams(tensor, "int8") == QParams((np.float32(0.02).item(),), (3,), 8, True)
        assert values.qparams(tensor, "float32") is None


def test_codes_without_a_scale_are_not_measured_against_values(tmp_path: Path) -> None:
    cast = helper.make_node("Cast", ["x"], ["y"], "cast", to=TensorProto.INT8)
    other = helper.make_node("Identity", ["x"], ["y"], "same")
    inputs = savez(tmp_path / "x.npz", {"x": floats(2)})
    made = [
        save(
            tmp_path,
            f"{at}.onnx",
            model(graph(node, inputs=[value("x")], outputs=[value("y", None, kind)]), ir_version=10),
        )
        for at, (node, kind) in enumerate(((cast, TensorProto.INT8), (other, TensorProto.FLOAT)))
    ]
    _, comparison = compared(made[0], made[1], inputs, tmp_path)
    row = comparison.row("y")
    assert row is not None and not row.values
    assert row.note == NO_SCALE


def test_a_scale_that_is_worked_out_on_the_way_leaves_codes(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["codes", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["codes", "w", "zero"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["wide"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["wide", "scale"], ["q_out"]),
    ]
    eye = weight("w", np.eye(4, dtype=np.uint8))
    dynamic = model(
        graph(*nodes, inputs=[value("x", (1, 4))], outputs=[value("q_out", None)], weights=[eye]), ir_version=10
    )
    plain = in_float("q")
    match, comparison = compared(
        save(tmp_path, "dynamic.onnx", dynamic),
        save(tmp_path, "float.onnx", plain),
        savez(tmp_path / "x.npz", {"x": floats(1, 4)}),
        tmp_path,
    )
    row = next(row for row in comparison.rows if row.tensor == "q_out")
    assert row.rule == "tensor-name" and row.values["cosine"] > 0.99
    assert {"codes", "sums", "wide"} <= set(match.only_candidate)
