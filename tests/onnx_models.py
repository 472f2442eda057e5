"""ONNX models made for one test each, with everything that does not matter filled in."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from onnx.numpy_helper import from_array

from errorflow.base.files import Source
from errorflow.formats.wire import encode_bytes, encode_number, encode_varint, tag

DATA = Path(__file__).parent / "data" / "formats"
OPSET = 17
Dims = Sequence[int | str | None] | None


def value(name: str, dims: Dims = (2,), dtype: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, dims)


def weight(name: str, array: object) -> TensorProto:
    return from_array(np.asarray(array), name)


def relu(source: str = "x", target: str = "y", name: str = "") -> onnx.NodeProto:
    return helper.make_node("Relu", [source], [target], name=name)


def graph(
    *nodes: onnx.NodeProto,
    inputs: Sequence[onnx.ValueInfoProto] = (),
    outputs: Sequence[onnx.ValueInfoProto] = (),
    weights: Sequence[TensorProto] = (),
    name: str = "graph",
) -> onnx.GraphProto:
    return helper.make_graph(nodes, name, inputs, outputs, weights)


def model(main: onnx.GraphProto, domains: Mapping[str, int] | None = None, **fields: object) -> onnx.ModelProto:
    opsets = {"": OPSET} if domains is None else domains
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(main, opset_imports=imports, **fields)


def small() -> onnx.ModelProto:
    """x → Relu → y."""
    return model(graph(relu(name="relu"), inputs=[value("x")], outputs=[value("y")]))


def with_weight(tensor: TensorProto) -> onnx.ModelProto:
    """x → Add → y, with the tensor as the other summand."""
    add = helper.make_node("Add", ["x", tensor.name], ["y"], name="add")
    return model(graph(add, inputs=[value("x")], outputs=[value("y")], weights=[tensor]))


def branching() -> onnx.ModelProto:
    """An If whose branches read tensors of the graph around them, one of them from two levels up."""
    inner = graph(helper.make_node("Neg", ["x"], ["deep"]), outputs=[value("deep")], name="inner")
    nested = helper.make_node("If", ["c"], ["both"], name="nested", then_branch=inner, else_branch=inner)
    then = graph(relu("x", "then_y"), outputs=[value("then_y")], name="then")
    other = graph(nested, outputs=[value("both")], name="other")
    decide = helper.make_node("If", ["c"], ["y"], name="decide", then_branch=then, else_branch=other)
    inputs = [value("x"), value("c", (), TensorProto.BOOL)]
    return model(graph(decide, inputs=inputs, outputs=[value("y")]))


def large_weights(path: Path, count: int, nbytes: int) -> None:
    """A chain of additions with inline weights, written as a sparse file: gigabytes cost nothing."""
    nodes = [helper.make_node("Add", [f"t{i}", f"w{i}"], [f"t{i + 1}"], name=f"add{i}") for i in range(count)]
    main = graph(*nodes, inputs=[value("t0")], outputs=[value(f"t{count}")]).SerializeToString()
    heads = [_initializer_head(f"w{i}", nbytes) for i in range(count)]
    body = len(main) + sum(len(head) + nbytes for head in heads)
    with path.open("wb") as file:
        file.write(encode_number(1, 8) + encode_bytes(8, encode_bytes(1, b"") + encode_number(2, OPSET)))
        file.write(encode_varint(tag(7)) + encode_varint(body) + main)
        for head in heads:
            file.write(head)
            file.seek(nbytes, 1)
        file.truncate()


def _initializer_head(name: str, nbytes: int) -> bytes:
    inner: bytes = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[nbytes // 4]).SerializeToString()
    inner += encode_varint(tag(9)) + encode_varint(nbytes)
    return encode_varint(tag(5)) + encode_varint(len(inner) + nbytes) + inner


class CountingSource(Source):
    """Knows how many bytes were read from it."""

    def __init__(self, path: Path) -> None:
        self.count = 0
        super().__init__(path)

    def read(self, offset: int, count: int) -> bytes:
        self.count += count
        return super().read(offset, count)


def cut_anywhere(data: bytes, pieces: int) -> Iterator[bytes]:
    """The beginning of a file, cut at places all over it."""
    for end in sorted({len(data) * part // pieces for part in range(1, pieces)}):
        yield data[:end]
