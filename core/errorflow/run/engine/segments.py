"""Models of some consecutive nodes, each a session of its own. Runs in a process of its own."""

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from errorflow.base.values import dataclass, field
from errorflow.graph.qparams import QParams
from errorflow.quant import protos
from errorflow.quant.coding import Coding
from errorflow.quant.fake import fake_quantize
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.model import Array, RunError
from errorflow.run.parts import reads
from errorflow.run.sessions import runtime, type_proto, value_of

if TYPE_CHECKING:
    import onnx

FLOATING = Coding()
# Whether the nodes read each other's results, or are all fed: then what they make has names of its own.
Way = Literal["chain", "apart"]
# Without the constants.
SESSION_BYTES = 1 << 20
# Of sessions that are gone, until their memory is given back.
_GIVE_BACK = 64 << 20
_LAID_OUT = frozenset(("MatMul", "Gemm", "GRU", "LSTM", "RNN", "Attention"))
# They change weights; all else that is fused and laid out anew leaves the errors of a few last digits only.
_CHANGING = ["ConvBNFusion", "ConvMulFusion", "ConvAddFusion"]
# What the C library of most Linux systems calls M_ARENA_MAX.
_STORES = -8
# Constants up to here are part of the model; larger ones are shared by all sessions.
_INLINE = 1024
# What these make of finite values may be none. Codes hide that, so it is looked at before.
RISKY = frozenset(
    (
        *("Log", "Sqrt", "Div", "Pow", "Reciprocal", "Exp", "Mod", "LogSoftmax"),
        *("Acos", "Asin", "Acosh", "Atanh", "Tan", "Sinh", "Cosh"),
        *("ReduceLogSum", "ReduceLogSumExp", "ReduceL2"),
    )
)


@dataclass(frozen=True, slots=True)
class Segment:
    """Nodes from `start` on, and what flows in and out of them."""

    index: int
    start: int
    nodes: "tuple[onnx.NodeProto, ...]"
    # Of others, in a fixed order; constants are not among them.
    reads: tuple[str, ...]
    constants: tuple[str, ...]
    makes: tuple[str, ...]
    # What others, or who asks for the model's outputs, read of it.
    borders: frozenset[str]


def segments_of(loaded: LoadedConstants, ends: Sequence[int]) -> tuple[Segment, ...]:
    found = []
    needed = set(loaded.outputs)
    constants = loaded.weights.keys() | loaded.parts.constants.keys() | loaded.parts.sparse.keys()
    for index, (start, end) in reversed(list(enumerate(zip((0, *ends), ends, strict=False)))):
        nodes = tuple(loaded.nodes[start:end])
        segment = _segment(index, start, nodes, loaded.reads[start:end], constants, needed)
        found.append(segment)
        needed.update(segment.reads)
    return tuple(reversed(found))


def picked(loaded: LoadedConstants, segment: Segment, places: Sequence[int]) -> Segment:
    """Picks some nodes of a segment, which are fed with what the others make."""
    reads = [loaded.reads[segment.start + place] for place in places]
    nodes = tuple(segment.nodes[place] for place in places)
    return _segment(segment.index, segment.start, nodes, reads, frozenset(segment.constants), segment.borders)


def _segment(
    index: int,
    start: int,
    nodes: "tuple[onnx.NodeProto, ...]",
    reads: Iterable[Sequence[str]],
    constants: Set[str],
    needed: Set[str],
) -> Segment:
    made = dict.fromkeys(name for node in nodes for name in node.output if name)
    wanted = [name for name in dict.fromkeys(name for names in reads for name in names) if name not in made]
    used = tuple(name for name in wanted if name in constants)
    others = tuple(name for name in wanted if name not in constants)
    return Segment(index, start, nodes, others, used, tuple(made), frozenset(needed & made.keys()))


@lru_cache(maxsize=1 << 16)
def _digest(how: object) -> bytes:
    return blake2b(repr(how).encode(), digest_size=16).digest()


def signature(segment: Segment, coding: Coding) -> bytes:
    """Signs all that the coding changes in the segment."""
    hashed = blake2b(digest_size=16)
    for names, coded in ((segment.makes, coding.activations), (segment.constants, coding.constants)):
        for place, name in enumerate(names):
            if name in coded and name not in coding.moved:
                hashed.update(b"%d:" % place + _digest(coded[name]))
        hashed.update(b"|")
    for place, name in enumerate(segment.makes):
        if name in coding.biases:
            bias, how = coding.biases[name]
            hashed.update(b"%d:" % place + _digest((bias.bias, how)))
    return hashed.digest()


@dataclass(frozen=True, slots=True)
class Built:
    """A session, what has to be fed besides tensors, and under which names it gives those."""

    session: Any
    # Coded constants and biases: name of the input, constant, how (None: as it is).
    codes: tuple[tuple[str, str, QParams | None], ...]
    names: Mapping[str, str]
    # Sums over what was made before it was coded, by tensor.
    sums: Mapping[str, str]
    # About what it takes: constants that are multiplied by are laid out anew in each session.
    nbytes: int


class Builder:
    """Makes sessions of segments. `types` is what ONNX Runtime calls each tensor's type."""

    def __init__(self, loaded: LoadedConstants, types: Mapping[str, str]) -> None:
        self._loaded, self._types = loaded, types
        self._shared: dict[str, Any] = {}
        share_memory()

    def build(
        self,
        segment: Segment,
        coding: Coding,
        exposed: Iterable[str],
        way: Way,
        looked: bool,
        shapes: Mapping[str, Sequence[int]] | None = None,
    ) -> Built:
        """`looked`: whether it also sums what codes would hide. With `shapes` of what it reads it is optimised:
        faster, and not the same to the bit."""
        fused = shapes is not None
        work = _Model(self._loaded, segment, coding, way, looked)
        fed = dict.fromkeys(segment.reads)
        if way == "apart":
            made = set(segment.makes)
            fed |= dict.fromkeys(
                name
                for names in self._loaded.reads[segment.start : segment.start + len(segment.nodes)]
                for name in names
                if name in made
            )
        inputs = [self._info(name, self._types[name], None if shapes is None else shapes.get(name)) for name in fed]
        inputs += [self._info(name, "tensor(float)") for name, _, _ in work.codes]
        # ONNX Runtime takes no constant that nobody reads: of a bias there may be codes only.
        used = {name for node in work.nodes for name in reads(node)}
        floats = [name for name in segment.constants if name not in coding.constants and name in used]
        shared = {name: self._loaded.weights[name] for name in floats if self._is_shared(name)}
        outputs = [work.names[name] for name in exposed] + list(work.sums.values())
        model = self._loaded.parts.build(work.nodes, inputs, outputs, floats)
        model.graph.initializer.extend(work.params)
        for name in floats:
            if name in self._loaded.weights:
                model.graph.initializer.append(_tensor(name, self._loaded.weights[name], name in shared))
        session = opened(model, {name: self._value(name) for name in shared}, self._loaded, fused)
        laid_out = sum(shared[name].nbytes for name in (shared if fused else self._multiplied.intersection(shared)))
        return Built(session, tuple(work.codes), work.names, work.sums, SESSION_BYTES + laid_out)

    @cached_property
    def _multiplied(self) -> frozenset[str]:
        return frozenset(name for node in self._loaded.nodes if node.op_type in _LAID_OUT for name in node.input)

    def stored_as(self, name: str) -> str:
        """The type of an input that arrays hold as another one, or ""."""
        return "bfloat16" if self._types.get(name) == "tensor(bfloat16)" else ""

    def _is_shared(self, name: str) -> bool:
        return name in self._loaded.weights and self._loaded.weights[name].nbytes > _INLINE

    def _value(self, name: str) -> Any:
        if name not in self._shared:
            self._shared[name] = value_of(self._loaded.weights[name])
        return self._shared[name]

    def _info(self, name: str, text: str, shape: Sequence[int] | None = None) -> "onnx.ValueInfoProto":
        from onnx import helper

        kind = type_proto(text, shape)
        if kind is None:
            raise RunError(
                f"{name} is no tensor but {text}, and other nodes read it.", "Simulate the model without that part."
            )
        return helper.make_value_info(name, kind)


class _Model:
    """The nodes of a segment as the coding has them."""

    def __init__(self, loaded: LoadedConstants, segment: Segment, coding: Coding, way: Way, looked: bool) -> None:
        self._opset, self._prefix, self._coding, self._weights = loaded.opset, loaded.prefix, coding, loaded.weights
        self._way, self._looked = way, looked
        self._scales: dict[QParams, tuple[str, str]] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.params: list[onnx.TensorProto] = []
        self.names: dict[str, str] = {}
        self.sums: dict[str, str] = {}
        self.codes: list[tuple[str, str, QParams | None]]
        self.codes = [(name, name, coding.constants[name]) for name in segment.constants if name in coding.constants]
        for node in segment.nodes:
            self._add(node)

    def _add(self, node: "onnx.NodeProto") -> None:
        import onnx

        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        first = next(filter(None, node.output), "")
        if first in self._coding.biases:
            bias, qparams = self._coding.biases[first]
            # A bias that the node did not have is its last input.
            copy.input.extend([""] * (bias.place + 1 - len(copy.input)))
            copy.input[bias.place] = f"{self._prefix}bias:{first}"
            self.codes.append((copy.input[bias.place], bias.bias, qparams))
        self.nodes.append(copy)
        for place, name in enumerate(node.output):
            if name:
                copy.output[place] = self._made(name, node)

    def _made(self, name: str, node: "onnx.NodeProto") -> str:
        """Names what the node itself makes; behind it comes the way through codes."""
        self.names[name] = target = name if self._way == "chain" else f"{self._prefix}made:{name}"
        qparams = self._coding.activations.get(name)
        if qparams is None or name in self._coding.moved:
            return target
        raw, codes = f"{self._prefix}raw:{name}", f"{self._prefix}codes:{name}"
        params = self._scale_and_zero(qparams)
        self.nodes.append(protos.quantize(raw, *params, codes, qparams, self._opset))
        self.nodes.append(protos.dequantize(codes, *params, target, qparams, self._opset))
        if self._looked and node.op_type in RISKY and not self._divides(node):
            self._look(name, raw)
        return raw

    def _divides(self, node: "onnx.NodeProto") -> bool:
        """Whether the node divides by what makes nothing larger."""
        if node.op_type != "Div" or node.input[1] not in self._weights:
            return False
        divisor, qparams = self._weights[node.input[1]], self._coding.constants.get(node.input[1])
        if divisor.dtype != np.float32 or divisor.nbytes > _INLINE:
            return False
        return bool((np.abs(divisor if qparams is None else fake_quantize(divisor, qparams)) >= 1).all())

    def _look(self, name: str, raw: str) -> None:
        from onnx import helper

        self.sums[name] = f"{self._prefix}sum:{name}"
        self.nodes.append(helper.make_node("ReduceSum", [raw], [self.sums[name]]))

    def _scale_and_zero(self, qparams: QParams) -> tuple[str, str]:
        if qparams not in self._scales:
            number = len(self._scales)
            names = f"{self._prefix}scale:{number}", f"{self._prefix}zero:{number}"
            self.params += protos.scale_and_zero(qparams, *names)
            self._scales[qparams] = names
        return self._scales[qparams]


def _tensor(name: str, array: Array, shared: bool) -> "onnx.TensorProto":
    import onnx

    proto = onnx.TensorProto(name=name, data_type=onnx.helper.np_dtype_to_tensor_dtype(array.dtype), dims=array.shape)
    if shared:
        # It is handed over beside the model; there is no such file.
        proto.data_location = onnx.TensorProto.EXTERNAL
        proto.external_data.add(key="location", value=name)
    else:
        proto.raw_data = np.ascontiguousarray(array).tobytes()
    return proto


@lru_cache(maxsize=1)
def share_memory() -> None:
    """Shares one store of memory among all sessions: what one gives back the next one takes, and no page is taken
    twice.
    """
    with suppress(OSError, AttributeError, TypeError):  # other systems
        # Nor does the C library keep a store for each thread: what one gives back another one takes.
        ctypes.CDLL(None).mallopt(_STORES, 1)
    library = runtime()
    info = library.OrtMemoryInfo("Cpu", library.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, library.OrtMemType.DEFAULT)
    library.create_and_register_allocator(info, library.OrtArenaCfg(0, 1, -1, -1))


def opened(model: "onnx.ModelProto", shared: Mapping[str, Any], loaded: LoadedConstants, fused: bool = False) -> Any:
    """A session of one thread in which nothing is fused and nothing is reordered, unless that is wanted."""
    library = runtime()
    options = library.SessionOptions()
    levels = library.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if fused else levels.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    options.add_session_config_entry("session.use_env_allocators", "1")
    # Codes are read back once, not once more for each reader: the same bits, and half of the work.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    folder = str(loaded.parts.path.parent)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    if shared:
        options.add_external_initializers(list(shared), list(shared.values()))
    proto, left_out = model.SerializeToString(), _CHANGING if fused else []
    return library.InferenceSession(proto, options, providers=["CPUExecutionProvider"], disabled_optimizers=left_out)


def shrink() -> None:
    """Gives back what the store of memory that sessions share holds and none uses."""
    from onnx import TensorProto, helper

    library = runtime()
    options = library.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    small = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "shrink", small[:1], small[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    settings = library.SessionOptions()
    settings.log_severity_level = 4
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.add_session_config_entry("session.use_env_allocators", "1")
    session = library.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    session.run(None, {"x": np.zeros(1, np.float32)}, options)
    give_back()


def give_back() -> None:
    """Frees what the C library of most Linux systems keeps of sessions that are gone: their weights, mostly."""
    with suppress(OSError, AttributeError, TypeError):  # other systems
        ctypes.CDLL(None).malloc_trim(0)


@dataclass(slots=True)
class Store:
    """Sessions by what they were built for; those that were not used for longest go first."""

    # In bytes.
    most: int
    built: "OrderedDict[object, Built]" = field(default_factory=OrderedDict)
    nbytes: int = 0
    # Since memory was given back for the last time.
    _gone: int = 0
    # How many had to be built.
    count: int = 0

    def get(self, key: object, build: Callable[[], Built]) -> Built:
        if key in self.built:
            self.built.move_to_end(key)
            return self.built[key]
        self.count += 1
        found = build()
        self.nbytes += found.nbytes
        while self.built and self.nbytes > self.most:
            gone = self.built.popitem(last=False)[1].nbytes
            self.nbytes -= gone
            self._gone += gone
        self.built[key] = found
        if self._gone > _GIVE_BACK:
            self._gone = 0
            give_back()
        return found
