"""That a model is quantized is seen without what reads it back, and both agree."""

import subprocess
import sys

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.quant.marks import OPERATORS, PREFIXES, is_quantized
from errorflow.quant.readback import KINDS
from errorflow.quant.readback.reading import kind_of


def graph_of(op_type: str) -> Graph:
    builder = GraphBuilder()
    builder.node(op_type, [], ["y"])
    return builder.build()


def test_the_marks_are_those_of_all_kinds() -> None:
    """If not: put in `quant/marks.py` what a kind in `quant/readback` goes by."""
    assert frozenset().union(*(kind.marks for kind in KINDS)) == OPERATORS
    assert set(PREFIXES) == {kind.prefix for kind in KINDS if kind.prefix}


@pytest.mark.parametrize("op_type", ["Conv", "QLinearConv", "AxUnheardOf", "Axis", "HzCalibration", "QuantizeLinear"])
def test_it_says_what_the_kinds_say(op_type: str) -> None:
    graph = graph_of(op_type)
    assert is_quantized(graph) == (kind_of(graph) is not None)


def test_whether_a_model_could_be_simulated_loads_nothing_that_reads_back() -> None:
    """Three parts of the window ask when a model opens, before its first picture."""
    code = (
        "import sys; from errorflow_viewer.commands.api import could_simulate\n"
        "from types import SimpleNamespace as Some; from errorflow.graph.build import GraphBuilder\n"
        "model = Some(format='ONNX model', graph=GraphBuilder().build())\n"
        "desk = Some(document=Some(model=model, session=Some(simulation=None)))\n"
        "assert could_simulate(desk); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith("errorflow.quant.readback")] == []
