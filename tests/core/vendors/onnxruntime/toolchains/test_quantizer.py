"""The script for ONNX Runtime's tool: it runs, and quantizes what was decided and nothing else."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.errors import FormatError
from errorflow.base.progress import SILENT
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.switching import facts_of, switched, switched_tensors
from errorflow.report.toolchains import toolchain
from errorflow.report.toolchains.model import Decision, Reading
from run_models import savez
from toolchain_cases import case_of, graph_of

ONNX_RUNTIME = toolchain("onnxruntime")
TYPES = {2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nets")


def decided(graph: Graph) -> dict[str, Plan]:
    base = preset("onnxruntime-x86").plan
    products = [node for node in range(len(graph)) if facts_of(graph).weights[node] is not None]
    middle = facts_of(graph).made[products[1]][0]
    return {
        "as planned": base,
        "first in float": switched(graph, base, products[:1], FLOAT),
        "last in 16 bits": switched(graph, base, products[-1:], 16),
        "weights of the second in float": switched(graph, base, products[1:2], FLOAT, "weights"),
        "a tensor in float": switched_tensors(base, [graph.tensor_names[middle]], FLOAT),
        "a tensor in 16 bits": switched_tensors(base, [graph.tensor_names[middle]], 16),
        "all products in float": switched(graph, base, products, FLOAT),
        "signed": preset("onnxruntime").plan,
    }


def quantized(decision: Decision, folder: Path, net: str, place: Path) -> onnx.ModelProto:
    """By the real tool, in a process of its own, fed with arrays in files."""
    case = case_of(net, place)
    data = folder / "data"
    data.mkdir()
    for number, sample in enumerate(case.samples):
        savez(data / f"{number}.npz", sample)
    return run(decision, folder, case.path, data)


def run(decision: Decision, folder: Path, path: Path, data: Path) -> onnx.ModelProto:
    """What the script makes of these samples."""
    written = ONNX_RUNTIME.write(decision, None)
    (name,) = written.files
    script = folder / name
    script.write_text(written.files[name], "utf-8")
    target = folder / "quantized.onnx"
    call = [sys.executable, str(script), str(path), str(target), "--data", str(data)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=folder, timeout=60)
    assert done.returncode == 0, done.stderr[-3000:]
    model = onnx.load(target)
    onnx.checker.check_model(model)
    return model


def codes_in(model: onnx.ModelProto) -> dict[str, str]:
    """By tensor the type of its codes; biases are left out."""
    values = {tensor.name: tensor for tensor in model.graph.initializer}
    made = {name: node for node in model.graph.node for name in node.output}
    found = {}
    for node in model.graph.node:
        if node.op_type == "DequantizeLinear":
            quantizer = made.get(node.input[0])
            source = node.input[0].removesuffix("_quantized") if quantizer is None else quantizer.input[0]
            kind = TYPES[values[node.input[2]].data_type]
            if kind != "int32":
                found[source.removesuffix("_QuantizeLinear_Input")] = kind
    return found


@pytest.mark.parametrize(
    "which",
    [
        "as planned",
        "first in float",
        "last in 16 bits",
        "weights of the second in float",
        "a tensor in float",
        "a tensor in 16 bits",
        "all products in float",
        "signed",
    ],
)
@pytest.mark.parametrize("net", ["residual", "plain", "crossing"])
def test_the_tool_codes_the_tensors_of_the_plan(net: str, which: str, place: Path, tmp_path: Path) -> None:
    graph = graph_of(net, place)
    decision = Decision.of(graph, decided(graph)[which], case_of(net, place).calibration, f"{net}.onnx")
    written = ONNX_RUNTIME.write(decision, None)
    told = {each.node for each in written.left_out}
    assigned, names = decision.assigned, graph.tensor_names
    wanted = {names[tensor]: how.dtype for tensor, how in assigned.activations.items()}
    wanted |= {names[tensor]: coded.precision.dtype for tensor, coded in assigned.constants.items()}
    found = codes_in(quantized(decision, tmp_path, net, place))
    near = {
        names[tensor]
        for node in told
        for tensor in (*graph.node_inputs[node].tolist(), *graph.node_outputs[node].tolist())
        if tensor >= 0
    }
    assert {name: kind for name, kind in found.items() if wanted.get(name) != kind} == {}
    assert {name for name in wanted.keys() - found.keys() if name not in near} == set()


def test_another_script_is_read_for_what_it_excludes(place: Path, tmp_path: Path) -> None:
    graph = graph_of("plain", place)
    script = tmp_path / "mine.py"
    script.write_text(
        "import onnxruntime.quantization as q\n"
        "SKIP = ['/block0/conv0/conv/Conv']\n"
        "q.quantize_static('a.onnx', 'b.onnx', reader(), nodes_to_exclude=SKIP, per_channel=True,\n"
        "    activation_type=q.QuantType.QUInt8, op_types_to_quantize=['Conv', 'Relu'],\n"
        "    extra_options={'TensorQuantOverrides': {'x': [{'quant_type': q.QuantType.QUInt16}]}})\n"
    )
    plan = ONNX_RUNTIME.read(script, graph, SILENT).plan
    assert plan.activations == Precision("uint8")
    assert plan.weights == Precision("int8", symmetric=True, per_channel=True)
    assert plan.types == ("Conv", "Relu")
    assert [(rule.names, rule.activations) for rule in plan.rules] == [(("/block0/conv0/conv/Conv",), FLOAT)]
    assert plan.tensors == (("x", Precision("uint16")),)


CONV = "/block0/conv0/conv/Conv"
CALL = "quantize_static('a', 'b', None, QuantFormat.QDQ, ['Conv'], True, False, QuantType.QUInt8, nodes_to_exclude=x)\n"


def read(text: str, place: Path, folder: Path) -> Reading:
    script = folder / "mine.py"
    script.write_text(text)
    return ONNX_RUNTIME.read(script, graph_of("plain", place), SILENT)


def test_arguments_that_are_not_named_count_by_their_place(place: Path, tmp_path: Path) -> None:
    plan = read("x = []\n" + CALL, place, tmp_path).plan
    assert plan.types == ("Conv",)
    assert plan.activations == Precision("uint8")
    assert plan.weights == Precision("int8", symmetric=True, per_channel=True)


@pytest.mark.parametrize(
    "said",
    [
        f"x: list = ['{CONV}']\n{CALL}",
        f"x = []\nx += ['{CONV}']\n{CALL}",
        f"x = []\nx.append('{CONV}')\n{CALL}",
        f"x = [*(), '{CONV}']\n{CALL}",
        f"def main():\n    x = ['{CONV}']\n    {CALL}x = 1\nmain()\n",
        f"def main():\n    {CALL}\nx = ['{CONV}']\nmain()\n",
        f"if __name__ == '__main__':\n    x = list(('{CONV}',))\n    {CALL}",
    ],
)
def test_a_list_is_followed_to_the_call(said: str, place: Path, tmp_path: Path) -> None:
    found = read(said, place, tmp_path)
    assert [rule.names for rule in found.plan.rules] == [(CONV,)]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (f"x = [n.name for n in m.graph.node]\nx += ['{CONV}']\n{CALL}", [(CONV,)]),
        (f"x = ['{CONV}', name()]\n{CALL}", [(CONV,)]),
        (f"x = []\nfor n in m.graph.node:\n    x.append(n.name)\n{CALL}", []),
        (f"x = ['{CONV}']\nif much:\n    x = []\n{CALL}", []),
        (f"x = ['{CONV}']\ndef main(x):\n    {CALL}", []),
        (CALL.replace("=x", "=options.exclude"), []),
        (CALL, []),
    ],
)
def test_what_is_not_written_out_is_told(said: str, kept: list[object], place: Path, tmp_path: Path) -> None:
    found = read(said, place, tmp_path)
    assert [rule.names for rule in found.plan.rules] == kept
    [note] = found.notes
    assert note.startswith("Not written out, and not taken over, at least not whole: nodes_to_exclude.")


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("activation_type=TYPE", "activation_type"),
        ("per_channel=options.each", "per_channel"),
        ("op_types_to_quantize=types()", "op_types_to_quantize"),
        ("extra_options={'ActivationSymmetric': SYM}", "extra_options[ActivationSymmetric]"),
        ("extra_options={**SOME, 'QuantizeBias': True}", "extra_options"),
        ("**settings", "what * and ** stand for"),
        ("*settings", "what * and ** stand for"),
    ],
)
def test_each_argument_that_is_not_known_is_named(argument: str, told: str, place: Path, tmp_path: Path) -> None:
    [note] = read(f"quantize_static({argument})\n", place, tmp_path).notes
    assert f"at least not whole: {told}. " in note


def test_where_some_nodes_alone_are_quantized_the_others_of_their_types_are_not(place: Path, tmp_path: Path) -> None:
    found = read(f"quantize_static(op_types_to_quantize=['Conv'], nodes_to_quantize=['{CONV}'])\n", place, tmp_path)
    graph = graph_of("plain", place)
    wishes = Decision.of(graph, found.plan).assigned.wishes
    coded = {graph.node_names[node] for node in range(len(graph)) if isinstance(wishes[node][0], Precision)}
    assert coded == {CONV}


@pytest.mark.parametrize("text", ["print(1)", "def (", "quantize_static = 1", "\x00", "((" * 5000])
def test_what_calls_nothing_is_refused(text: str, place: Path, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(text)
    with pytest.raises(FormatError):
        ONNX_RUNTIME.read(script, graph_of("plain", place), SILENT)


def test_nothing_of_a_script_runs(place: Path, tmp_path: Path) -> None:
    script, mark = tmp_path / "mine.py", tmp_path / "mark"
    script.write_text(f"open({str(mark)!r}, 'w')\nquantize_static(nodes_to_exclude=[open({str(mark)!r}, 'w')])\n")
    ONNX_RUNTIME.read(script, graph_of("plain", place), SILENT)
    assert not mark.exists()


def test_a_model_with_an_odd_name_makes_a_script_that_runs(place: Path, tmp_path: Path) -> None:
    graph = graph_of("plain", place)
    decision = Decision.of(graph, preset("onnxruntime").plan, None, 'a"""\\\nimport os.onnx')
    text = ONNX_RUNTIME.write(decision, None).files["quantize_onnxruntime.py"]
    compile(text, "script", "exec")
    assert "import os.onnx" not in text.splitlines()


def test_samples_that_are_stacked_in_one_file_calibrate_too(place: Path, tmp_path: Path) -> None:
    graph, case = graph_of("plain", place), case_of("plain", place)
    stacked = {name: np.concatenate([sample[name] for sample in case.samples]) for name in case.samples[0]}
    decision = Decision.of(graph, decided(graph)["as planned"], None, "plain.onnx")
    apart = quantized(decision, tmp_path, "plain", place)
    together = run(decision, tmp_path, case.path, savez(tmp_path / "stacked.npz", stacked))
    assert apart.SerializeToString() == together.SerializeToString()
