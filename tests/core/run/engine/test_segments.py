"""Sessions of segments: how many are kept, and where the model is cut."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.graph.qparams import QParams
from errorflow.quant.coding import Coding
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.engine.segments import Builder, Built, Store, segments_of
from onnx_models import graph, model, value, weight
from rerun_nets import ALL, case, crossing


def built(nbytes: int) -> Built:
    return Built(None, (), {}, {}, nbytes)


def test_sessions_that_were_not_used_for_longest_go_when_all_are_too_large() -> None:
    store = Store(10)
    for key in "abc":
        store.get(key, lambda: built(4))
        store.get("a", lambda: built(4))
    assert list(store.built) == ["c", "a"] and store.count == 3 and store.nbytes == 8


def test_one_that_is_larger_than_all_is_kept_alone() -> None:
    store = Store(10)
    store.get("a", lambda: built(4))
    store.get("b", lambda: built(40))
    assert list(store.built) == ["b"]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_segments_read_what_others_make_and_nothing_else(name: str, size: int, tmp_path: Path) -> None:
    loaded = LoadedConstants.of(case(name, tmp_path).path)
    count = len(loaded.nodes)
    segments = segments_of(loaded, [*range(size, count, size), count])
    there = set(loaded.inputs)
    for segment in segments:
        assert set(segment.reads) <= there
        there |= segment.borders
        assert segment.borders <= set(segment.makes)
        assert set(segment.constants) <= loaded.weights.keys()
    assert set(loaded.outputs) <= there


def test_names_of_our_own_collide_with_none(tmp_path: Path) -> None:
    proto = crossing()[0]
    for node in proto.graph.node:
        for names in (node.input, node.output):
            names[:] = ["errorflow:raw:one" if name == "one" else name for name in names]
    path = tmp_path / "net.onnx"
    onnx.save(proto, path)
    assert LoadedConstants.of(path).prefix == "errorflow::"


@pytest.mark.parametrize(
    ("divisor", "scale", "looked"),
    [
        ([6.0, -1.0], 0.0, False),
        ([6.0, 0.5], 0.0, True),
        ([6.0, np.nan], 0.0, True),
        ([6.0, 1.0], 0.5, False),
        ([100.0, 1.0], 10.0, True),  # whose codes are 10 and 0
    ],
)
def test_what_is_only_made_smaller_is_not_looked_at(
    divisor: list[float], scale: float, looked: bool, tmp_path: Path
) -> None:
    node = helper.make_node("Div", ["x", "by"], ["y"])
    weights = [weight("by", np.array(divisor, np.float32))]
    path = tmp_path / "div.onnx"
    onnx.save(model(graph(node, inputs=[value("x", (2,))], outputs=[value("y", None)], weights=weights)), path)
    loaded = LoadedConstants.of(path)
    (segment,) = segments_of(loaded, [1])
    codes = QParams((scale,), (0,), 8, True)
    coding = Coding({"y": QParams((0.1,), (0,), 8, True)}, constants={"by": codes} if scale else {})
    found = Builder(loaded, {"x": "tensor(float)"}).build(segment, coding, ["y"], "chain", True)
    assert ("y" in found.sums) == looked
