"""Precisions that nodes were meant to compute in and those they did, as far as files say so, each with its file."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from errorflow.base import ErrorflowError, dataclass, field, replace
from errorflow.compare.match.quantized.ops import DEQUANTIZE, FUSABLE, QUANTIZE, quantized
from errorflow.explain.difference.model import Links, Side
from errorflow.explain.difference.operators import BORDERS, CONVERSIONS, work_of
from errorflow.explain.findings.model import Findings, is_code
from errorflow.explain.inspect.grid import asked_codes
from errorflow.formats.amct.record import LayerRecord, ScaleRecord
from errorflow.graph.model import Graph, Model

# Options of the compiler that say how precise operators are to be; what they name is shown as it is written.
_OPTIONS = re.compile(r"--(precision_mode|precision_mode_v2|keep_dtype|modify_mixlist|op_precision_mode)[= ](\S+)")
_MODE = "precision_mode"
# Those that ask for one type of every operator on real numbers; "": that of the original model.
_MODES: Mapping[str, str] = {
    "must_keep_origin_dtype": "",
    "force_fp16": "float16",
    "force_fp32": "float32",
    "origin": "",
    "fp16": "float16",
}
# Only compilers for NPUs make these.
_COMPILED = frozenset(("NetOutput", "TransData", "AscendQuant", "AscendDequant"))
_SIMULATED = "float32"
_COMMAND = "ATC command"
RUN = "the candidate's run"


@dataclass(frozen=True, slots=True)
class Said:
    """A type, and who says it."""

    dtype: str
    by: str


@dataclass(frozen=True, slots=True)
class NodePrecision:
    """Precision; None: no file says it."""

    requested: Said | None = None
    effective: Said | None = None

    @property
    def differs(self) -> bool:
        """Codes of as many bits are alike, with and without a sign."""
        both = self.requested, self.effective
        return both[0] is not None and both[1] is not None and _kind(both[0].dtype) != _kind(both[1].dtype)


NOTHING = NodePrecision()


@dataclass(frozen=True, eq=False)
class RecordedPrecision:
    """Facts from files beside the graph on view."""

    # The file of the graph.
    name: str = "the model"
    # With which the compiler was called, as the file says.
    command: str = ""
    record: ScaleRecord | None = None
    record_name: str = ""
    # The other graph: of the float, the quantized or the compiled model.
    links: Links | None = None
    other_name: str = ""

    def with_other(self, links: Links, name: str) -> "RecordedPrecision":
        return replace(self, links=links, other_name=name)


def command_of(model: Model) -> str:
    """Finds the command with which the model was compiled, as its file says; "": it does not."""
    return next((value for label, value in model.facts if label == _COMMAND), "")


@dataclass(frozen=True, eq=False)
class NodePrecisions:
    """Asked node by node."""

    graph: Graph
    known: RecordedPrecision = field(default_factory=RecordedPrecision)
    findings: Findings | None = None

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """Options of the compiler's command that are about precision, with what they were set to."""
        return tuple((found[1], found[2].strip("\"'")) for found in _OPTIONS.finditer(self.known.command))

    def of(self, node: int) -> NodePrecision:
        op_type = self.graph.op_types[node]
        requested = None if op_type in CONVERSIONS or op_type in BORDERS else next(self._requests(node), None)
        if requested is None:
            return NOTHING
        if requested.by == self.known.name:  # what a compiled graph says of itself is not yet what was done
            ran = self._ran(node)
            return NodePrecision(requested, Said(ran, RUN) if ran else None)
        return NodePrecision(requested, next(self._effects(node), None))

    def _requests(self, node: int) -> Iterator[Said]:
        """The most definite first."""
        known, other = self.known, self._other
        codes = self._recorded(node)
        if codes:
            yield Said(codes, known.record_name)
        for graph, at, name in (
            (self.graph, node, known.name),
            *((other, at, known.other_name) for at in self._at(node)),
        ):
            asked = "" if graph is None else surrounded(graph, at)
            if asked:
                yield Said(asked, f"QuantizeLinear and DequantizeLinear in {name}")
        yield from self._by_command(node)
        compiled = _compiled_type(self.graph, node) if self._is_compiled else ""
        if compiled:
            yield Said(compiled, known.name)

    def _effects(self, node: int) -> Iterator[Said]:
        """Codes that it was compiled for, what ran, and the type that it was compiled for."""
        compiled = list(self._compiled(node))
        yield from (said for said in compiled if is_code(said.dtype))
        ran = self._ran(node)
        if ran:
            yield Said(ran, RUN)
        yield from compiled

    def _compiled(self, node: int) -> Iterator[Said]:
        places = [(self.graph, node, self.known.name)] if self._is_compiled else []
        other = self._other
        if other is not None and is_compiled(other):
            places += [(other, at, self.known.other_name) for at in self._at(node)]
        for graph, at, name in places:
            dtype = _compiled_type(graph, at)
            if dtype:
                yield Said(dtype, name)

    def _recorded(self, node: int) -> str:
        """The codes that AMCT's record has scales for."""
        origins = self.graph.origins[node]
        names = (self.graph.node_names[node], *(() if origins is None else origins))
        found = next((self._layers[name] for name in names if name in self._layers), None)
        scales = None if found is None else found.activation if found.activation is not None else found.weights
        return "" if scales is None else f"{'' if scales.signed else 'u'}int{scales.bits}"

    @cached_property
    def _layers(self) -> dict[str, LayerRecord]:
        record = self.known.record
        return {} if record is None else {layer.name: layer for layer in record.layers.values()}

    def _by_command(self, node: int) -> Iterator[Said]:
        for option, value in self.options:
            if option.startswith(_MODE) and value in _MODES:
                original = self._original(node)
                asked = _MODES[value] if _MODES[value] else original
                if asked and "float" in original:
                    yield Said(asked, f"--{option}={value}, with which {self.known.name} was compiled")

    def _original(self, node: int) -> str:
        """The type that the original model has for what the node makes, as the compiler wrote it down."""
        origins = (self.graph.tensor_origins.get(tensor) for tensor in self.graph.node_outputs[node].tolist())
        return next((origin.dtype for origin in origins if origin is not None), "")

    def _ran(self, node: int) -> str:
        """The type in which the candidate's run holds what it makes; a simulation keeps all in float32."""
        if self.findings is None:
            return ""
        rows, about = self.findings.comparison.rows, self.findings.placed.about
        for tensor in self.graph.node_outputs[node].tolist():
            sides = (rows[number].candidate for number in about.get(tensor, ()))
            dtype = next((side.dtype for side in sides if side is not None), "")
            if dtype and (self._is_compiled or dtype != _SIMULATED):
                return "" if self._works_on_codes(node) and not is_code(dtype) else dtype
        return ""

    def _works_on_codes(self, node: int) -> bool:
        """Whether a node computes on codes: what is made of them is summed up in longer ones."""
        return self._is_compiled and is_code(_compiled_type(self.graph, node))

    @cached_property
    def _is_compiled(self) -> bool:
        return is_compiled(self.graph)

    @property
    def _other(self) -> Graph | None:
        links = self.known.links
        if links is None:
            return None
        return links.candidate if links.reference is self.graph else links.reference

    def _at(self, node: int) -> list[int]:
        """The nodes of the other graph that do the same work for this one."""
        links, other = self.known.links, self._other
        if links is None or other is None:
            return []
        side: Side = "reference" if links.reference is self.graph else "candidate"
        work = work_of(self.graph.op_types[node])
        partners = links.partners(side, np.array([node], np.int32)).tolist()
        return [each for each in partners if work_of(other.op_types[each]) == work]


def is_compiled(graph: Graph) -> bool:
    """Whether its types are those in which operators run, and not those of a model that is yet to be compiled."""
    types = graph.op_types.values
    return not _COMPILED.isdisjoint(types) or any(quantized(op_type, 0) is not None for op_type in types)


def surrounded(graph: Graph, node: int) -> str:
    """The codes of a node that reads what was dequantized and whose result is quantized at once; "": it is no such."""
    inputs, outputs = graph.node_inputs[node].tolist(), graph.node_outputs[node].tolist()
    maker = int(graph.producers[inputs[0]]) if inputs and inputs[0] >= 0 else -1
    if maker < 0 or graph.op_types[maker] != DEQUANTIZE or not outputs or outputs[0] < 0:
        return ""
    readers = graph.consumers[outputs[0]].tolist()
    if len(readers) == 1 and graph.op_types[readers[0]] in FUSABLE:
        made = int(next(iter(graph.node_outputs[readers[0]].tolist()), -1))
        readers = graph.consumers[made].tolist() if made >= 0 else []
    if not any(graph.op_types[reader] == QUANTIZE for reader in readers):
        return ""
    return _codes_read_by(graph, maker)


def _codes_read_by(graph: Graph, node: int) -> str:
    """The type of what a DequantizeLinear reads: its own, that of the zero point, or what its maker makes."""
    read = int(graph.node_inputs[node][0])
    known = next(filter(None, (graph.dtypes[read], _zero_type(graph, node))), "")
    maker = int(graph.producers[read])
    if known or maker < 0 or graph.op_types[maker] != QUANTIZE:
        return known
    return _zero_type(graph, maker) if len(graph.node_inputs[maker]) > 2 else asked_codes(graph.attributes(maker))


def _zero_type(graph: Graph, node: int) -> str:
    """Finds the type of the zero point of a QuantizeLinear or DequantizeLinear, its third input."""
    zeros = graph.node_inputs[node][2:3].tolist()
    return _constant_type(graph, zeros[0]) if zeros and zeros[0] >= 0 else ""


def _compiled_type(graph: Graph, node: int) -> str:
    """Finds the type in which a compiled operator computes: codes where it reads codes, else the type of what it
    makes.
    """
    inputs = graph.node_inputs[node].tolist()
    row = quantized(graph.op_types[node], len(inputs))
    if row is not None:
        ends = [(at, at + 2) for at in row.reads[:1]]
        places = [place for end in ends for place in end if place < len(inputs) and inputs[place] >= 0]
        types = (_type_of(graph, inputs[place]) for place in places)
        return next((dtype for dtype in types if is_code(dtype)), "")
    read = graph.dtypes[inputs[0]] if inputs and inputs[0] >= 0 else ""
    made = next((graph.dtypes[tensor] for tensor in graph.node_outputs[node].tolist() if tensor >= 0), "")
    return read if is_code(read) else made


def _type_of(graph: Graph, tensor: int) -> str:
    known = graph.dtypes[tensor]
    return known if known else _constant_type(graph, tensor)


def _constant_type(graph: Graph, tensor: int) -> str:
    try:
        return graph.weights.info(graph.tensor_names[tensor]).dtype
    except (KeyError, ErrorflowError):  # it is worked out while the model runs, or its file is gone
        return ""


def _kind(dtype: str) -> str:
    return dtype.removeprefix("u") if dtype.startswith("uint") else dtype
