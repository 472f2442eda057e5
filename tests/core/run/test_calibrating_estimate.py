"""What is too large for the memory is refused before it runs."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import UsageError
from errorflow.cli.main import main
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.run.calibrating import check_memory, least_bytes
from onnx_models import graph, model, relu, value, weight

SIDE = 100_000


def grown(folder: Path, *, known: bool = True, side: int = SIDE) -> Path:
    """x → Relu → Expand → Relu, the last two of which are large."""
    nodes = [relu("x", "r", "first"), helper.make_node("Expand", ["r", "s"], ["e"], "grow"), relu("e", "y", "second")]
    weights = [weight("s", np.array([1, 1, side, side], np.int64))]
    shape = (1, 1, side, side) if known else None
    main_graph = graph(*nodes, inputs=[value("x", (1, 1, 1, 1))], outputs=[value("y", shape)], weights=weights)
    if known:
        main_graph.value_info.append(value("e", shape))
    path = folder / "m.onnx"
    onnx.save(model(main_graph), path)
    return path


def read(folder: Path, **how: bool) -> Graph:
    return read_model(grown(folder, **how)).graph


def test_it_is_what_the_largest_node_reads_and_makes(tmp_path: Path) -> None:
    found = read(tmp_path)
    needed, node = least_bytes(found)
    assert (needed, found.title(node)) == (2 * 4 * SIDE * SIDE, "second")


def test_unknown_shapes_count_nothing(tmp_path: Path) -> None:
    # x alone, and what its shape tells.
    assert least_bytes(read(tmp_path, known=False))[0] <= 8


def test_what_fits_is_not_refused(tmp_path: Path) -> None:
    found = read(tmp_path)
    check_memory(found, "m.onnx", 8 * SIDE * SIDE)
    with pytest.raises(UsageError, match=r"Running m\.onnx needs 80\.0 GB of memory or more, at second; 79\.9 GB"):
        check_memory(found, "m.onnx", 8 * SIDE * SIDE - 10**8)


@pytest.mark.parametrize("command", ["simulate", "calibrate"])
def test_it_is_refused_before_it_runs(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = grown(tmp_path)
    assert main([command, str(path), "--random", "1", "--samples", "2", "--out", str(tmp_path / "out")]) == 2
    assert "needs 80.0 GB of memory or more, at second" in capsys.readouterr().err
