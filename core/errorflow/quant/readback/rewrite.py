"""A quantized model on its way to floats: nodes that code go, and what they did is noted by tensor."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.graph.qparams import QParams
from errorflow.quant.bodies import bodies_of, drop, names_of, reads_of, rename_reads
from errorflow.quant.fake import values_of
from errorflow.quant.protos import OWN, opset_of, quantize
from errorflow.quant.readback.kind import Handler, Params, ReadbackKind

if TYPE_CHECKING:
    import onnx

Array = NDArray[Any]
# What tools put behind the name of a tensor for its codes.
_ENDINGS = ("_QuantizeLinear_Output", "_quantized")
_DEQUANTIZE = "DequantizeLinear"


@dataclass(frozen=True, slots=True)
class CodedTensor:
    """Codes of a tensor: what they stand for, and the constants with which they could be made again."""

    value: str
    qparams: QParams
    scale: str
    zero: str


class Rewrite:
    """Takes a model apart node by node, in its order; `finish` makes it one of floats."""

    def __init__(
        self, model: "onnx.ModelProto", array: "Callable[[onnx.TensorProto], Array]", kinds: Iterable[ReadbackKind]
    ) -> None:
        self._model, self._array = model, array
        self._handlers: dict[str, Handler] = {}
        self._quantizers: dict[str, Params] = {}
        for kind in kinds:
            self._handlers |= kind.handlers
            self._quantizers |= kind.quantizers
        graph = model.graph
        self._constants: dict[str, onnx.TensorProto] = {tensor.name: tensor for tensor in graph.initializer}
        self._constants |= {node.output[0]: node.attribute[0].t for node in graph.node if _holds_tensor(node)}
        self._kept_inputs = {value.name for value in graph.input}
        self._kept = self._kept_inputs | {value.name for value in graph.output}
        self._outputs = [value.name for value in graph.output]
        self._readers = _readers(graph)
        self._taken = set(names_of(graph))
        self._nodes: list[onnx.NodeProto] = []
        self._folded: dict[tuple[str, QParams], str] = {}
        self._made_again: set[str] = set()
        self.opset = opset_of(model)
        # By the tensor of codes.
        self.codes: dict[str, CodedTensor] = {}
        # By the tensor of floats that is to be coded.
        self.coded: dict[str, QParams] = {}
        # Tensors that are gone, and which one has their values.
        self.names: dict[str, str] = {}
        # Whether constants were there as codes only.
        self.rounded = False
        # By node, why it stays as it is.
        self.notes: dict[str, str] = {}

    def run(self) -> None:
        for node in self._model.graph.node:
            handler = self._handlers.get(node.op_type) if node.input and node.output else None
            reason = "" if handler is None else handler(self, node)
            if reason is not None:
                self.keep(node, reason)
        self._finish()

    def constant(self, name: str) -> Array | None:
        """The values of a constant; None: it is none, or is not there."""
        found = self._constants.get(self.resolved(name))
        return None if found is None else self._array(found)

    def resolved(self, name: str) -> str:
        """The tensor that has its values now."""
        return self.names.get(name, name)

    def params(self, node: "onnx.NodeProto") -> QParams | None:
        """Finds how the node codes what it reads."""
        found = self._quantizers.get(node.op_type)
        return None if found is None else found(self, node)

    def keep(self, node: "onnx.NodeProto", reason: str = "") -> None:
        """The node stays as it is; codes that it reads are made for it."""
        reads = [*node.input, *(name for body in bodies_of(node) for name in reads_of(body))]
        of_codes = [name for name in reads if name in self.codes]
        for name in of_codes:
            self._make_again(name)
        if of_codes and not reason:
            reason = f"{node.op_type} works on codes"
        if reason:
            self.notes[node.name if node.name else next(iter(node.output), "")] = reason
        self._nodes.append(node)

    def emit(
        self,
        node: "onnx.NodeProto",
        inputs: Sequence[str],
        outputs: Sequence[str],
        kind: str = "",
        without: frozenset[str] = frozenset(),
    ) -> None:
        """A node of floats in place of one of codes; its attributes and its name without the tool's ending stay."""
        import onnx

        made = onnx.NodeProto(name=node.name.removesuffix("_quant"), op_type=kind if kind else node.op_type)
        made.input.extend(inputs)
        made.output.extend(outputs)
        made.attribute.extend(attribute for attribute in node.attribute if attribute.name not in without)
        self._nodes.append(made)

    def code(self, source: str, qparams: QParams, target: str = "", codes: str = "") -> str:
        """The tensor that holds the values of `source` as `codes` have them.

        `target`: how it is called, where `source` is read by others too and another tensor is needed.
        """
        now = self.resolved(source)
        if self.coded.get(now) == qparams:
            return now
        if now == source and now not in self.coded and self._all_code(now, qparams):
            self.coded[now] = qparams
            return now
        target = target if target else self.value_name(codes, qparams)
        if now in self._constants:
            self._add_constant(target, self._array(self._constants[now]))
        else:
            self._nodes.append(_identity(now, target))
        self.coded[target] = qparams
        return target

    def note_codes(self, name: str, value: str, qparams: QParams, scale: str, zero: str) -> None:
        """`name` was a tensor of codes for that value."""
        self.codes[name] = CodedTensor(value, qparams, scale, zero)

    def make_codes(self, name: str, qparams: QParams, scale: str, zero: str) -> str:
        """A tensor of codes that some node made: the name of the floats that it makes now."""
        value = self.value_name(name, qparams)
        self.note_codes(name, value, qparams, scale, zero)
        self.coded[value] = qparams
        return value

    def value_of(self, name: str, qparams: QParams | None) -> str | None:
        """The floats that a tensor of codes stands for; None: not known."""
        found = self.codes.get(name)
        if found is not None:
            return found.value if found.qparams == qparams else None
        return None if qparams is None else self._fold(name, qparams)

    def add_constant(self, name: str, values: Array) -> str:
        """The name under which it is there."""
        found = name if name not in self._constants and name not in self._taken else self.free(name)
        self._add_constant(found, values)
        return found

    def value_name(self, codes: str, qparams: QParams | None) -> str:
        """Names the floats of a tensor of codes: as their reader has it, or as before it was coded."""
        readers = [node for node in self._readers.get(codes, ()) if node is not None and node.op_type == _DEQUANTIZE]
        read = [node.output[0] for node in readers if qparams is not None and self.params(node) == qparams]
        first = next((name for name in read if name in self._outputs), next(iter(read), ""))
        bare = next((codes.removesuffix(end) for end in _ENDINGS if codes.endswith(end)), "")
        if first in self._outputs or (first and (not bare or bare in self._taken)):
            return first
        return self.free(bare if bare else f"{codes}_value")

    def read_by(self, name: str) -> frozenset[str]:
        """The types of the nodes that read it; "" for others than nodes of the main graph."""
        return frozenset("" if node is None else node.op_type for node in self._readers.get(name, ()))

    def free(self, name: str) -> str:
        """Finds that name, or one like it that the model does not have."""
        found, number = name, 0
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found

    def _all_code(self, name: str, qparams: QParams) -> bool:
        """Whether all readers of the tensor make these codes of it."""
        readers = self._readers.get(name, ())
        return all(
            node is not None and node.input[0] == name and name not in node.input[1:] and self.params(node) == qparams
            for node in readers
        )

    def _fold(self, name: str, qparams: QParams) -> str | None:
        """A constant as floats."""
        codes = self.constant(name)
        if codes is None or not _fit(codes, qparams):
            return None
        if (name, qparams) not in self._folded:
            target = self._folded[name, qparams] = self.value_name(name, qparams)
            self._add_constant(target, values_of(codes.astype(np.int32), qparams))
            self.coded[target] = qparams
            self.rounded = True
        return self._folded[name, qparams]

    def _add_constant(self, name: str, values: Array) -> None:
        from onnx import numpy_helper

        tensor = numpy_helper.from_array(np.ascontiguousarray(values), name)
        self._model.graph.initializer.append(tensor)
        self._constants[name] = tensor

    def _make_again(self, name: str) -> None:
        if name not in self._made_again:
            self._made_again.add(name)
            codes = self.codes[name]
            self._nodes.append(quantize(codes.value, codes.scale, codes.zero, name, codes.qparams, self.opset))

    def _finish(self) -> None:
        for node in list(self._nodes):
            for name in node.input:
                if name in self.codes:
                    self._make_again(name)
        for name in self._outputs:
            if name in self.codes:
                self._make_again(name)
        renamed = self._better_names()
        self._rename(renamed)
        found = {name for node in self._nodes for name in node.output} | self._kept_inputs
        self._nodes += [_identity(self.names[name], name) for name in self._outputs if self._is_gone(name, found)]
        self._replace_nodes()
        _drop_unread(self._model)

    def _is_gone(self, name: str, found: set[str]) -> bool:
        return name in self.names and name not in found

    def _better_names(self) -> dict[str, str]:
        """Names that go with the value of another tensor: those of outputs, and shorter ones."""
        found: dict[str, str] = {}
        for gone, value in self.names.items():
            if value in self._kept or (value in self._constants and gone not in self._outputs):
                continue
            known = found.get(value, value)
            better = gone in self._outputs or len(gone) < len(known)
            if better and known not in self._outputs and value not in self._constants:
                found[value] = gone
        return found

    def _rename(self, renamed: Mapping[str, str]) -> None:
        """Renames all that is read and gone, and what goes by another name now."""
        self.names = {name: renamed.get(value, value) for name, value in self.names.items()}
        new = self.names | dict(renamed)
        for node in self._nodes:
            rename_reads(node, new)
            for place, name in enumerate(node.output):
                node.output[place] = renamed.get(name, name)
        self.coded = {renamed.get(name, name): qparams for name, qparams in self.coded.items()}
        self.names = {name: value for name, value in self.names.items() if name != value}

    def _replace_nodes(self) -> None:
        """Replaces the nodes of the graph: the old ones are gone with their list."""
        graph = self._model.graph
        copies = [type(node)() for node in self._nodes]
        for copy, node in zip(copies, self._nodes, strict=True):
            copy.CopyFrom(node)
        del graph.node[:]
        graph.node.extend(copies)


def _fit(codes: Array, qparams: QParams) -> bool:
    """Whether there is a scale for each slice."""
    if qparams.axis is None:
        return True
    inside = -codes.ndim <= qparams.axis < codes.ndim
    return inside and codes.shape[qparams.axis] == len(qparams.scales)


def _holds_tensor(node: "onnx.NodeProto") -> bool:
    return node.op_type == "Constant" and len(node.attribute) == 1 and node.attribute[0].name == "value"


def _identity(source: str, target: str) -> "onnx.NodeProto":
    from onnx import helper

    return helper.make_node("Identity", [source], [target], f"{target}_Identity")


def _readers(graph: "onnx.GraphProto") -> "dict[str, list[onnx.NodeProto | None]]":
    """Maps tensors to the nodes that read them; None for a body or the outside."""
    found: dict[str, list[onnx.NodeProto | None]] = {}
    for node in graph.node:
        for name in dict.fromkeys(node.input):
            found.setdefault(name, []).append(node)
        inside: Iterable[str] = (name for body in bodies_of(node) for name in reads_of(body))
        for name in inside:
            found.setdefault(name, []).append(None)
    for value in graph.output:
        found.setdefault(value.name, []).append(None)
    return found


def _drop_unread(model: "onnx.ModelProto") -> None:
    """Drops constants of the codes, what was said of tensors that are gone, and unused families of operators."""
    graph = model.graph
    read = set(reads_of(graph))
    drop(graph.node, lambda node: node.op_type == "Constant" and read.isdisjoint(node.output))
    drop(graph.initializer, lambda tensor: tensor.name not in read)
    constant = {tensor.name for tensor in graph.initializer}
    drop(graph.input, lambda value: value.name in constant)
    made = {name for node in graph.node for name in node.output}
    drop(graph.value_info, lambda value: value.name not in made)
    used = {"", "ai.onnx", OWN, *(node.domain for node in graph.node), *(f.domain for f in model.functions)}
    inner = (node.domain for outer in graph.node for body in bodies_of(outer) for node in body.node)
    used |= set(inner)
    drop(model.opset_import, lambda entry: entry.domain not in used)
