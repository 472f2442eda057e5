"""What the made-up NPU leaves behind is what Errorflow takes it for."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.formats.runs import read_run
from planted_cases import source_for
from planted_nets import planted_net
from tools.npu_case.case import Case, Wish, write_case
from tools.npu_case.chip import Chip
from tools.npu_case.faults import FAULTS, Fault
from tools.npu_case.fusing import groups_of
from tools.npu_case.layouts import BLOCKS, FRACTAL, laid_out
from tools.npu_case.source import made

SCRIPT = Path(__file__).parents[1] / "tools" / "fake_npu.py"


def operators(case: Case) -> dict[str, str]:
    model = json.loads(case.fusion.read_text())
    return {op["name"]: op["type"] for op in model["graph"][0]["op"] if op["type"] != "Const"}


def test_layers_are_fused_with_norm_shortcut_and_activation() -> None:
    groups = groups_of(source_for("residual", 0))
    names = {group.name: group.originals for group in groups}

    assert names["/layer0/two/conv/Conv/layer0/Add/layer0/out/Relu"] == (
        "/layer0/two/conv/Conv",
        "/layer0/two/bn/BatchNormalization",
        "/layer0/Add",
        "/layer0/out/Relu",
    )


@pytest.mark.parametrize("net", ["residual", "plain", "branches", "digits", "locator", "transformer"])
def test_every_node_is_in_one_operator_and_comes_after_what_it_reads(net: str) -> None:
    source = source_for(net, 1)
    groups = groups_of(source)
    done = {*source.constant, *source.inputs}
    for group in groups:
        for at in group.nodes:
            done.update(made(source.nodes[at]))
        assert all(name in done for at in group.nodes for name in source.nodes[at].input if name)

    assert sorted(at for group in groups for at in group.nodes) == list(range(len(source.nodes)))


def test_without_fusion_each_node_is_an_operator() -> None:
    source = source_for("digits", 0)

    assert len(groups_of(source, fused=False)) == len(source.nodes)


@pytest.mark.parametrize("dtype", ["float16", "int8"])
@pytest.mark.parametrize(("layout", "shape"), [(BLOCKS, (2, 20, 3, 5)), (FRACTAL, (3, 18, 40)), (FRACTAL, (1, 10))])
def test_a_layout_loses_nothing_and_fills_up_with_zeros(layout: str, shape: tuple[int, ...], dtype: str) -> None:
    array = np.arange(1, np.prod(shape) + 1).reshape(shape) % 120 + 1
    stored = laid_out(array, layout, dtype)

    assert stored.astype(np.int64).sum() == array.sum()
    assert np.count_nonzero(stored) == array.size
    assert stored.shape[-1] == (32 if dtype == "int8" else 16)


def test_dumps_hold_what_was_computed_and_what_was_read(tmp_path: Path) -> None:
    source = source_for("plain", 0)
    case = write_case(source, tmp_path / "case", Wish())
    dump = read_run(case.npu)
    values = Chip(source).run(groups_of(source))
    name = next(name for name in dump.names() if "_head_fc_Gemm" in name and name.endswith(":output:0"))

    assert dump.info(name).dtype == "float16"
    assert dump.info(name).layout == FRACTAL
    assert np.count_nonzero(dump.read(name)) == np.count_nonzero(values["scores"])


def test_a_renamed_operator_and_a_missing_dump(tmp_path: Path) -> None:
    wish = Wish(renamed=("/head/fc/Gemm",), missing=("/head/conv/Conv",))
    case = write_case(source_for("digits", 0), tmp_path / "case", wish)

    assert case.holder["/head/fc/Gemm"] != "/head/fc/Gemm"
    assert case.holder["/head/fc/Gemm"] in operators(case)
    assert not list(case.npu.glob("*_head_conv_Conv_*"))


def test_inserted_operators_stand_at_the_borders(tmp_path: Path) -> None:
    case = write_case(source_for("digits", 0), tmp_path / "case", Wish())
    kinds = list(operators(case).values())

    assert kinds[:3] == ["Data", "Cast", "TransData"]
    assert kinds[-2:] == ["Cast", "NetOutput"]


@pytest.mark.parametrize("kind", [kind.key for kind in FAULTS])
def test_a_fault_changes_its_own_operator_and_nothing_before(kind: str) -> None:
    source = source_for("transformer", 0)
    node = {"epsilon": "/encoder/norm2/LayerNormalization", "activation": "/encoder/mlp/act/Erf"}
    fault = Fault(node.get(kind, "/encoder/mlp/fc1/MatMul"), kind)
    groups = groups_of(source)
    right, wrong = Chip(source).run(groups), Chip(source, faults=(fault,)).run(groups)
    changed = [
        group
        for group in groups
        if not np.array_equal(
            right[made(source.nodes[group.nodes[-1]])[0]], wrong[made(source.nodes[group.nodes[-1]])[0]], equal_nan=True
        )
    ]

    assert fault.node in changed[0].originals


def test_the_same_seed_writes_the_same_files(tmp_path: Path) -> None:
    wish = Wish(faults=(Fault("/head/fc/Gemm"),), seed=3)
    one, two = (write_case(source_for("plain", 0), tmp_path / name, wish) for name in ("one", "two"))
    files = [path.relative_to(one.folder) for path in one.folder.rglob("*") if path.is_file() and path.suffix != ".npz"]

    assert files
    assert all((one.folder / path).read_bytes() == (two.folder / path).read_bytes() for path in files)


def test_the_command_line_says_where_the_fault_is(tmp_path: Path) -> None:
    onnx.save(planted_net("residual", 0).model, tmp_path / "m.onnx")
    wrong = "/layer0/one/act/Relu:activation"
    command = [sys.executable, str(SCRIPT), str(tmp_path / "m.onnx"), "-out", str(tmp_path / "case"), "--wrong", wrong]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "is in the operator /layer0/one/conv/Conv/layer0/one/act/Relu." in done.stdout
    assert (tmp_path / "case" / "model.json").is_file()


@pytest.mark.parametrize("wrong", ["/no/such/node", "/layer0/one/conv/Conv:epsilon"])
def test_a_fault_that_cannot_be_is_refused_in_a_sentence(wrong: str, tmp_path: Path) -> None:
    onnx.save(planted_net("residual", 0).model, tmp_path / "m.onnx")
    command = [sys.executable, str(SCRIPT), str(tmp_path / "m.onnx"), "-out", str(tmp_path / "case"), "--wrong", wrong]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "error: " in done.stderr and "Traceback" not in done.stderr
