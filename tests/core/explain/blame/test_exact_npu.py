"""The same for dumps of an NPU: fused operators, another layout, half precision, inserted operators."""

import csv
from pathlib import Path

import pytest

from errorflow.cli.main import main
from npu_board import Board


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


FUSED = {"conv1relu1": ("conv1", "relu1"), "conv2add": ("conv2", "add"), "gemm": ("flatten", "gemm")}


@pytest.mark.parametrize(("guilty", "disturbed"), [(name, inner) for name, all_of in FUSED.items() for inner in all_of])
def test_the_operator_that_holds_the_disturbed_node_introduces_the_error(
    guilty: str, disturbed: str, board: Board
) -> None:
    board.write(disturbed)
    shape, parts = board.parts()
    for name in FUSED:
        node = shape.node_index(name)
        assert node is not None and parts.exact[node], name
        if name == guilty:
            # The rest is the rounding to half precision that arrives.
            assert parts.shares[node] == pytest.approx(1, abs=0.01)
        else:
            assert parts.introduced[node] < 0.002


def test_inserted_operators_only_carry(board: Board) -> None:
    board.write("conv2")
    shape, parts = board.parts()
    node = shape.node_index("trans_out")
    assert node is not None and parts.exact[node]
    assert parts.introduced[node] == 0
    assert parts.shares[node] == 0
    assert parts.accumulated[node] > 0.1


def test_fused_operators_say_what_is_judged_with_them(board: Board) -> None:
    board.write("conv2")
    shape, parts = board.parts()
    node = shape.node_index("conv2add")
    assert node is not None
    assert parts.notes[node] == "judged together with conv2: nobody dumped what they make"


def test_the_command_does_it_with_the_original_model(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    board.write("conv2")
    sides = [
        "-m",
        str(board.folder / "npu"),
        "-g",
        str(board.folder / "golden"),
        "-f",
        str(board.folder / "fusion.json"),
    ]
    main(["compare", *sides, "--model", str(board.folder / "model.onnx"), "-out", str(board.folder / "out")])
    said = capsys.readouterr().out
    assert "Node error: conv2 (conv2add) brings" in said
    with (board.folder / "out" / "nodes.csv").open(encoding="utf-8", newline="") as file:
        found = {line["name"]: line for line in csv.DictReader(file)}
    assert {name for name, line in found.items() if line["method"] == "exact"} >= set(FUSED)
    assert found["conv2add"]["verdict"] == "origin"
    assert found["gemm"]["verdict"] in ("carrier", "clean", "amplifier")
