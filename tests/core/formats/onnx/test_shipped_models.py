"""Every model that the onnx package ships, read by us and by onnx itself: what both find must be the same."""

from pathlib import Path

import onnx
import pytest

from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.onnx.read import ONNX
from errorflow.graph.model import Model
from onnx_compare import assert_same_graph

FOLDER = Path(onnx.__file__).parent
MODELS = sorted(FOLDER.rglob("*.onnx"))


def read(path: Path) -> Model:
    with Source(path) as source:
        assert ONNX.claims(source)
        content = ONNX.read(source, SILENT)
    assert isinstance(content, Model)
    return content


def test_the_package_ships_models() -> None:
    assert len(MODELS) > 100


@pytest.mark.parametrize("path", MODELS, ids=lambda path: str(path.parent.name + "-" + path.stem))
def test_is_read_like_onnx_reads_it(path: Path) -> None:
    model, proto = read(path), onnx.load(path)

    assert_same_graph(model.graph, proto.graph)
    assert model.problems == ()
    for function, other in zip(model.functions, proto.functions, strict=True):
        assert (function.domain, function.name) == (other.domain, other.name)
        assert [n.op_type for n in function.graph.nodes()] == [n.op_type for n in other.node]
