"""What cannot be run names the node and says why."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.cli.main import main
from errorflow.run.model import RefusedModelError
from errorflow.run.refusals import refusal
from onnx_models import graph, model, relu, value, weight
from run_models import floats, net, savez

make = helper.make_node


def of_nodes(*nodes: onnx.NodeProto, dtype: int = TensorProto.FLOAT, **versions: int) -> onnx.ModelProto:
    weights = [weight("s", np.array([7, 7], np.int64)), weight("w", floats(2, 3, 1, 1))]
    outputs = [helper.make_tensor_value_info("y", dtype, None)]
    main_graph = graph(
        relu("x", "r", "first"), *nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=outputs, weights=weights
    )
    return model(
        main_graph, {"": versions.pop("onnx", 17), **{name.replace("_", "."): v for name, v in versions.items()}}
    )


REFUSED = {
    "acme:Foo (node strange)": of_nodes(make("Foo", ["r"], ["y"], "strange", domain="acme"), acme=1),
    "acme:Bar (node y)": of_nodes(make("Bar", ["r"], ["y"], domain="acme"), acme=1),
    "com.microsoft:NoSuchOp (node strange)": of_nodes(
        make("NoSuchOp", ["r"], ["y"], "strange", domain="com.microsoft"), com_microsoft=1
    ),
    "such as NoSuchOp in version 17 (node strange)": of_nodes(make("NoSuchOp", ["r"], ["y"], "strange")),
    "such as NoSuchOp in version 17 (node y)": of_nodes(make("NoSuchOp", ["r"], ["y"])),
    "its Conv does not take tensor(bfloat16), as strange has it at the input d": of_nodes(
        make("Cast", ["r"], ["d"], "cast", to=TensorProto.BFLOAT16),
        make("Conv", ["d", "d"], ["y"], "strange"),
        dtype=TensorProto.BFLOAT16,
    ),
    "it does not know version 99 of ONNX yet": of_nodes(make("Relu", ["r"], ["y"]), onnx=99),
    "strange (Reshape) failed: input_shape_size": of_nodes(make("Reshape", ["r", "s"], ["y"], "strange")),
    "a node of the type Reshape failed": of_nodes(make("Reshape", ["r", "s"], ["y"])),
    "strange (Conv) failed: Not enough elements in pads": of_nodes(
        make("Conv", ["r", "w"], ["y"], "strange", pads=[1])
    ),
}


@pytest.mark.parametrize("command", ["simulate", "calibrate"])
@pytest.mark.parametrize("said", REFUSED)
def test_it_names_the_node_and_says_why(
    command: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    onnx.save(REFUSED[said], tmp_path / "m.onnx")
    savez(tmp_path / "x.npz", {"x": floats(1, 3, 4, 4)})
    out = tmp_path / ("out" if command == "simulate" else "c.json")
    assert main([command, str(tmp_path / "m.onnx"), "--data", str(tmp_path / "x.npz"), "--out", str(out)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "onnxruntime_src" not in told
    # What no sample can help is not said of one.
    assert ("x.npz: " in told) == ("failed" in said)


@pytest.mark.parametrize("command", ["simulate", "calibrate"])
def test_values_that_are_missing_are_named(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx.save(net(), tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    (tmp_path / "w.bin").unlink()
    assert main([command, str(tmp_path / "m.onnx"), "--random", "1", "--out", str(tmp_path / "out")]) == 2
    assert "w1 are in w.bin, which is missing." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["simulate", "calibrate"])
def test_a_tensor_that_memory_cannot_hold_is_told(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = [make("Expand", ["x", "s"], ["e"], "grow"), make("ReduceMax", ["e"], ["y"], keepdims=0)]
    weights = [weight("s", np.array([1, 3, 200_000, 200_000], np.int64))]
    main_graph = graph(*nodes, inputs=[value("x", (1, 1, 1, 1))], outputs=[value("y", None)], weights=weights)
    onnx.save(model(main_graph), tmp_path / "m.onnx")
    assert main([command, str(tmp_path / "m.onnx"), "--random", "1", "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert "needs 480.0 GB for a single tensor, which is more memory than there is." in told
    assert "Give smaller inputs." in told


def test_operators_without_a_kernel_are_named() -> None:
    said = (
        "[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for Sin(7) node with name 'wave'"
    )
    found = refusal(Path("m.onnx"), said)
    assert isinstance(found, RefusedModelError)
    assert found.message == "ONNX Runtime cannot run m.onnx: it has no Sin for the types that wave has."


def test_what_nobody_has_seen_yet_is_said_as_it_is() -> None:
    found = refusal(Path("m.onnx"), "[ONNXRuntimeError] : 1 : FAIL : /a/b.cc:12 void f(int) Something else. ")
    assert found.message == "ONNX Runtime cannot run m.onnx: Something else."
