"""Writes a float ONNX model as the fixed QDQ model of a plan.

A tensor keeps its name for the value that its readers get, after the way through codes; what the node gave before that
is `…_unquantized`. So the tensors of both models compare by name. Bodies of If, Loop and Scan stay in float.

ONNX Runtime's optimizer (WeightBiasQuantization) makes codes of weights in float where it sees what they multiply come
out of codes. There a Sum of one summand stands between: it changes no bit, and the optimizer does not look through it.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import SILENT, FileError, Progress, dataclass
from errorflow.base.files import replacing
from errorflow.graph.qparams import QParams
from errorflow.quant import protos
from errorflow.quant.bodies import bodies_of, drop, names_of, reads_of, rename_reads
from errorflow.quant.coding import Coding, Read
from errorflow.quant.operators import MOVING

if TYPE_CHECKING:
    import onnx

# A file of the format can hold 2 GiB; from here on the values go into a file beside it.
LARGEST = 1_900_000_000
# Up to here constants need not be inputs too.
_OLDEST_IR = 4
_EXTERNAL = 1
# Constants in float, and as codes.
_MAKING = ("Constant", "DequantizeLinear")
# Whose weights ONNX Runtime's optimizer makes codes of.
_RECODED = frozenset(("Conv", "ConvTranspose", "Gemm"))


@dataclass(frozen=True, eq=False)
class Inserted:
    """The model, and under which name it has the value of a tensor, where that is not the tensor's own."""

    model: "onnx.ModelProto"
    names: Mapping[str, str]


def insert(model: "onnx.ModelProto", coding: Coding, read: Read) -> Inserted:
    """The QDQ model; `model` becomes it. `read` gives the values of constants by name."""
    work = _Insertion(model, coding, read)
    work.constants()
    work.inputs()
    work.nodes()
    work.finish()
    return Inserted(model, work.renamed)


def write(inserted: Inserted, read: Read, target: Path, progress: Progress = SILENT) -> None:
    """Into one file; the values into `….data` beside it where they are too many, or were outside before."""
    import onnx

    model = inserted.model
    outside = [tensor for tensor in model.graph.initializer if tensor.data_location == _EXTERNAL]
    for tensor in outside:
        progress.step(0, 0, f"Writing {target.name}")
        tensor.CopyFrom(onnx.numpy_helper.from_array(read(tensor.name), tensor.name))
    _check_bodies(model)
    if not outside and model.ByteSize() < LARGEST:
        with replacing(target) as beside:
            beside.write_bytes(model.SerializeToString())
        return
    data = target.with_name(f"{target.name}.data")
    with replacing(data) as beside, beside.open("xb") as file:
        for tensor in model.graph.initializer:
            progress.step(0, 0, f"Writing {data.name}")
            _move_out(tensor, file.tell(), data.name)
            file.write(tensor.raw_data)
            tensor.ClearField("raw_data")
    with replacing(target) as beside:
        beside.write_bytes(model.SerializeToString())


def _move_out(tensor: "onnx.TensorProto", offset: int, name: str) -> None:
    """Notes where the raw values will lie; what is not raw is small."""
    if not tensor.HasField("raw_data"):
        return
    tensor.data_location = tensor.EXTERNAL
    for key, value in (("location", name), ("offset", offset), ("length", len(tensor.raw_data))):
        tensor.external_data.add(key=key, value=str(value))


def _check_bodies(model: "onnx.ModelProto") -> None:
    bodies = (graph for node in model.graph.node for graph in bodies_of(node))
    if any(tensor.data_location == _EXTERNAL for graph in bodies for tensor in graph.initializer):
        raise FileError(
            "A body of If or Loop has its values in a file beside the model, which a QDQ model cannot take along.",
            "Save the model with its values inside, with onnx.save.",
        )


class _Insertion:
    def __init__(self, model: "onnx.ModelProto", coding: Coding, read: Read) -> None:
        self._model, self._coding, self._read = model, coding, read
        self._graph = model.graph
        self._opset = protos.opset_of(model)
        self._taken = set(names_of(model.graph))
        self._before: list[onnx.NodeProto] = []
        self._params: dict[QParams, tuple[str, str]] = {}
        self._biases: dict[tuple[str, QParams | None], str] = {}
        # Constants that nodes do not read any more.
        self._replaced: set[str] = set()
        # What comes out of codes, also where it was moved since.
        self._decoded: set[str] = set()
        self.renamed: dict[str, str] = {}

    def constants(self) -> None:
        """Codes in place of the values, and what makes values of them."""
        coded = self._coding.constants
        self._drop_constants(coded)
        for name, qparams in coded.items():
            self._before.append(self._constant(name, qparams, name))

    def inputs(self) -> None:
        """They keep their names; their readers read another one."""
        for value in self._graph.input:
            qparams = self._coding.activations.get(value.name)
            if qparams is not None:
                target = self.renamed[value.name] = self._free(f"{value.name}_DequantizeLinear_Output")
                self._before += self._round_trip(value.name, target, qparams)

    def nodes(self) -> None:
        """Each with its own way through codes behind it."""
        import onnx

        ordered = []
        for node in self._graph.node:
            ordered.append(onnx.NodeProto())
            ordered[-1].CopyFrom(node)
        del self._graph.node[:]
        self._graph.node.extend(self._before)
        for node in ordered:
            rename_reads(node, self.renamed)
            self._bias(node)
            trips: list[onnx.NodeProto] = []
            for place, name in enumerate(node.output):
                qparams = self._coding.activations.get(name) if name else None
                if qparams is not None:
                    node.output[place] = self._free(f"{name}_unquantized")
                    trips += self._round_trip(node.output[place], name, qparams)
            self._graph.node.extend([*self._guard(node), node, *trips])

    def _guard(self, node: "onnx.NodeProto") -> "Iterable[onnx.NodeProto]":
        """Keeps weights in float as they are."""
        from onnx import helper

        source = node.input[0] if node.input else ""
        if source not in self._decoded:
            return
        if node.op_type in MOVING:
            self._decoded.update(node.output)
        if node.op_type in _RECODED and node.input[1] not in self._decoded:
            node.input[0] = self._free(f"beside_float_{source}")
            yield helper.make_node("Sum", [source], [node.input[0]], f"Sum_{node.input[0]}")

    def finish(self) -> None:
        """Removes biases in float that have no reader any more; the versions say what is used."""
        model = self._model
        read = set(reads_of(self._graph))
        gone = self._replaced - read
        drop(self._graph.initializer, lambda tensor: tensor.name in gone)
        drop(self._graph.node, lambda node: node.op_type in _MAKING and node.output[0] in gone)
        domains = {entry.domain for entry in model.opset_import}
        if protos.OWN not in domains and any(node.domain == protos.OWN for node in model.graph.node):
            model.opset_import.add(domain=protos.OWN, version=1)
        model.ir_version = max(model.ir_version, _OLDEST_IR)

    def _drop_constants(self, coded: Mapping[str, QParams]) -> None:
        """Removes constants from the inputs, so that none can be given another value."""
        graph = self._graph
        own = {tensor.name for tensor in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
        drop(graph.input, lambda value: value.name in own)
        drop(graph.initializer, lambda tensor: tensor.name in coded)
        drop(graph.sparse_initializer, lambda tensor: tensor.values.name in coded)
        drop(graph.node, lambda node: node.op_type == "Constant" and node.output[0] in coded)

    def _constant(self, name: str, qparams: QParams, target: str) -> "onnx.NodeProto":
        codes = self._free(f"{name}_quantized")
        self._decoded.add(target)
        self._graph.initializer.append(protos.coded(self._read(name), qparams, codes))
        return protos.dequantize(codes, *self._scale_and_zero(name, qparams), target, qparams, self._opset)

    def _bias(self, node: "onnx.NodeProto") -> None:
        found = self._coding.biases.get(next(filter(None, node.output), ""))
        if found is None:
            return
        bias, qparams = found
        key = (bias.bias, qparams)
        if key not in self._biases:
            self._biases[key] = self._bias_value(bias.bias, qparams)
        if bias.place < len(node.input):
            self._replaced.add(node.input[bias.place])
            node.input[bias.place] = self._biases[key]
        else:
            node.input.append(self._biases[key])

    def _bias_value(self, name: str, qparams: QParams | None) -> str:
        """Finds the name of a bias that is coded, or is another one than the model has."""
        from onnx import numpy_helper

        if qparams is None:
            found = self._free(name)
            self._graph.initializer.append(numpy_helper.from_array(self._read(name), found))
            return found
        found = self._free(f"{name}_DequantizeLinear_Output")
        self._graph.node.append(self._constant(name, qparams, found))
        return found

    def _round_trip(self, source: str, target: str, qparams: QParams) -> "Iterable[onnx.NodeProto]":
        codes = self._free(f"{target}_QuantizeLinear_Output")
        self._decoded.add(target)
        params = self._scale_and_zero(target, qparams)
        yield protos.quantize(source, *params, codes, qparams, self._opset)
        yield protos.dequantize(codes, *params, target, qparams, self._opset)

    def _scale_and_zero(self, name: str, qparams: QParams) -> tuple[str, str]:
        if qparams not in self._params:
            names = self._free(f"{name}_scale"), self._free(f"{name}_zero_point")
            self._graph.initializer.extend(protos.scale_and_zero(qparams, *names))
            self._params[qparams] = names
        return self._params[qparams]

    def _free(self, name: str) -> str:
        """Finds that name, or one like it that the model does not have."""
        found, number = name, 0
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found
