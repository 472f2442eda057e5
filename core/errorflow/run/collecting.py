"""Streams samples through a model and keeps what calibration needs. Runs in a process of its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.values import dataclass
from errorflow.quant.calibrate.asked import method_of
from errorflow.quant.calibrate.channels import Loudness, loudness
from errorflow.quant.calibrate.seen import Method, Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range
from errorflow.run.model import Array, ModelInput, RefusedModelError, RunError
from errorflow.run.parts import Parts, reads
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import SampleSlice, split
from errorflow.run.samples.model import digest_of, joined_identity
from errorflow.run.samples.opening import open_samples
from errorflow.run.samples.watching import WatchedInput, looked_at, oddities
from errorflow.run.sessions import OPTIMISATION, Arrays, element, run, runtime, told, type_proto, value_of

if TYPE_CHECKING:
    import onnx


FLOATS = frozenset(("float", "float16", "double", "bfloat16"))


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """Request as plain values."""

    model: str
    wanted: tuple[ModelInput, ...]
    asked: SampleSpec
    # How many samples are taken; None: all.
    first: int | None
    methods: tuple[str, ...]
    precision: Precision
    # Codes for which it is told how well each range serves; where none are, only what the methods need is kept.
    judges: tuple[Precision, ...] = ()
    threads: int = 1
    # Tensors whose channels are last, and whether the ranges of all channels are wanted.
    last: tuple[str, ...] = ()
    per_channel: bool = False


@dataclass(frozen=True, slots=True)
class SeenChannels:
    """Channels of a tensor: how loud they are, and where each lies if that was wanted."""

    axis: int
    loudness: Loudness
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundRange:
    """Range that a method found for a tensor, and how well that serves."""

    low: float
    high: float
    # The share of values outside, and for each judge the SQNR in decibel; () where nobody judges.
    clipped: float = 0.0
    sqnr: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenTensor:
    """Statistics of a tensor."""

    name: str
    count: int
    nans: int
    infinities: int
    low: float
    high: float
    # One per method; none where no finite value was seen.
    found: tuple[FoundRange, ...] = ()
    channels: SeenChannels | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """Results, tensors in the order of running."""

    tensors: tuple[SeenTensor, ...]
    samples: int
    text: str
    made_up: bool
    notes: tuple[str, ...]
    facts: Mapping[str, str]


# How many nodes have just run, of how many in all.
Step = Callable[[int, int], object]


def collect(plain: dict[str, Any], meter: str, total: str) -> dict[str, Any]:
    """A `Collected` for a `CollectRequest`. The length of the file `meter` is how many nodes have run; `total` says of
    how many."""
    import msgspec

    request = msgspec.convert(plain, CollectRequest)
    with Path(meter).open("ab", buffering=0) as done:

        def step(nodes: int, of: int) -> None:
            if not nodes:
                Path(total).write_text(str(of), encoding="ascii")
            done.write(b"." * nodes)

        found = collected(request, step)
    answer: dict[str, Any] = msgspec.to_builtins(found)
    return answer


# Runs a model again and again, segment by segment, and shows every tensor. Runs in a process of its own.
#
# The segments' sessions are built while the first sample runs and stay; all share one arena, so that what one tensor
# leaves is taken by the next without asking the system for pages again.

# Nodes of the first segment, and of any.
FIRST, MOST = 4, 64
# What the nodes of one segment may make, judged by those before in the first sample.
SEGMENT_BYTES = 16 << 20
_CONSTANT = "Constant"

# Takes a tensor's name and its value of ONNX Runtime, which it may not keep, and gives how many bytes it has.
See = Callable[[str, Any], int]
# How many nodes have just run.
StreamingStep = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class _Segment:
    session: Any
    nodes: int
    fed: tuple[str, ...]
    made: tuple[str, ...]
    # What nobody reads behind it.
    done: tuple[str, ...]


class Stream:
    """A model that is run on sample after sample."""

    def __init__(self, parts: Parts, threads: int = 1) -> None:
        parts.check_operators()
        self._parts, self._threads = parts, threads
        # Values that stand in the graph as nodes are no tensors that flow.
        self._constants = {node.output[0]: node for node in parts.nodes if _is_constant(node)}
        self._nodes = [node for node in parts.nodes if not _is_constant(node)]
        self._last = {name: place for place, node in enumerate(self._nodes) for name in reads(node)}
        self._segments: list[_Segment] = []
        # What the last segment made.
        self._bytes = 0

    @property
    def nodes(self) -> int:
        """Number of nodes that run."""
        return len(self._nodes)

    def run(self, given: Mapping[str, Array], see: See, step: StreamingStep) -> None:
        """Runs one sample: `see` is called with all inputs and then with what each node made, in the order of
        running.
        """
        with told(self._parts.path):
            values = self._fed(given)
            for name, value in values.items():
                see(name, value)
            for segment in self._segments if self._segments else self._built(values):
                found = run(segment.session, {name: values[name] for name in segment.fed}, segment.made)
                self._bytes = 0
                for name, value in zip(segment.made, found, strict=True):
                    self._bytes += see(name, value)
                    values[name] = value
                del found
                for name in segment.done:
                    values.pop(name, None)
                step(segment.nodes)

    def _fed(self, given: Mapping[str, Array]) -> dict[str, Any]:
        from onnx import TensorProto

        found = {}
        for value in self._parts.model.graph.input:
            if value.name in given:
                is_bfloat = value.type.tensor_type.elem_type == TensorProto.BFLOAT16
                found[value.name] = value_of(given[value.name], "bfloat16" if is_bfloat else "")
        return found

    def _built(self, values: Mapping[str, Any]) -> Iterator[_Segment]:
        """The segments, each made when those before have run: only then the types of all tensors are known."""
        start, count = 0, FIRST
        built: list[_Segment] = []
        while start < len(self._nodes):
            nodes = self._nodes[start : start + count]
            built.append(self._segment(nodes, start, values))
            yield built[-1]
            start += count
            fitting = SEGMENT_BYTES * count // max(self._bytes, 1)
            count = max(1, min(fitting, 2 * count, MOST))
        self._segments = built

    def _segment(self, nodes: "Sequence[onnx.NodeProto]", start: int, values: Mapping[str, Any]) -> _Segment:
        from onnx import helper

        made = tuple(name for node in nodes for name in node.output if name)
        wanted = dict.fromkeys(name for node in nodes for name in reads(node))
        fed = tuple(name for name in wanted if name in values)
        others = [name for name in wanted if name not in values and name not in made]
        copied = [self._constants[name] for name in others if name in self._constants]
        infos = [helper.make_value_info(name, _type(name, values[name])) for name in fed]
        model = self._parts.build([*copied, *nodes], infos, made, others)
        end = start + len(nodes)
        done = tuple(name for name in (*wanted, *made) if self._last.get(name, -1) < end)
        opened = _session(model, str(self._parts.path.parent), self._threads)
        return _Segment(opened, len(nodes), fed, made, done)


def _is_constant(node: "onnx.NodeProto") -> bool:
    return bool(node.op_type == _CONSTANT and node.domain in ("", "ai.onnx"))


def _type(name: str, value: Any) -> "onnx.TypeProto":
    """Makes a type of any shape: the next sample may have another one."""
    kind = type_proto(value.data_type())
    if kind is None:
        raise RunError(
            f"{name} is no tensor but {value.data_type()}, and other nodes read it.",
            "Calibrate elsewhere, or export the model without sequences between nodes.",
        )
    return kind


def _session(model: "onnx.ModelProto", folder: str, threads: int) -> Any:
    library = runtime()
    _share_arena()
    options = library.SessionOptions()
    # What is fused away cannot be observed.
    options.graph_optimization_level = library.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.use_deterministic_compute = True
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", folder)
    return library.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


@cache
def _share_arena() -> None:
    """Once in the life of a process."""
    library = runtime()
    kinds = library.OrtAllocatorType, library.OrtMemType
    info = library.OrtMemoryInfo("Cpu", kinds[0].ORT_ARENA_ALLOCATOR, 0, kinds[1].DEFAULT)
    # It grows by what is asked for: doubling would take up to twice of what is needed.
    config = library.OrtArenaCfg({"arena_extend_strategy": 1, "initial_chunk_size_bytes": 1 << 20})
    library.create_and_register_allocator(info, config)


def collected(request: CollectRequest, step: Step) -> Collected:
    """The same in this process."""
    samples = open_samples(request.wanted, request.asked)
    chosen, _, text = split(samples, request.first)
    chosen.check()
    methods = tuple(method_of(key) for key in request.methods)
    spread = bool(request.judges) or any(method.spread for method in methods)
    watch = _Watch(spread=spread, last=frozenset(request.last))
    digests = _stream(request, chosen, watch, step)
    facts = {
        "ONNX Runtime": runtime().__version__,
        "optimisation": OPTIMISATION,
        "threads": str(request.threads),
        "data": joined_identity(digests),
    }
    tensors = tuple(_told(name, seen, methods, request) for name, seen in watch.tensors.items())
    return Collected(tensors, chosen.count, text, chosen.made_up, (*chosen.notes, *oddities(watch.fed)), facts)


class _Watch:
    """Sees the values of all tensors that hold floats."""

    def __init__(self, *, spread: bool, last: frozenset[str]) -> None:
        self._spread, self._last = spread, last
        self._arrays = Arrays()
        self.tensors: dict[str, Seen] = {}
        self.fed: list[WatchedInput] = []

    def see(self, name: str, value: Any) -> int:
        if not value.is_tensor():
            return 0
        if element(value.data_type()) not in FLOATS:
            return int(value.tensor_size_in_bytes())
        array = self._arrays.of(value)
        assert not isinstance(array, str)  # it is a tensor and holds no texts
        if name not in self.tensors:
            self.tensors[name] = Seen(spread=self._spread, last=name in self._last)
        self.tensors[name].see(array)
        return array.nbytes


def _stream(request: CollectRequest, samples: SampleSlice, watch: _Watch, step: Step) -> list[str]:
    """The samples' digests, in their order."""
    stream = Stream(Parts.load(Path(request.model)), request.threads)
    total = stream.nodes * samples.count
    step(0, total)
    digests = []
    for number in range(samples.count):
        arrays = samples.read(number)
        digests.append(digest_of(arrays))
        watch.fed += looked_at(samples.name(number), arrays)
        try:
            stream.run(arrays, watch.see, lambda nodes: step(nodes, total))
        except RefusedModelError:
            raise
        except RunError as error:
            raise RunError(f"{samples.name(number)}: {error.message}", error.hint) from error
    return digests


def _told(name: str, seen: Seen, methods: Sequence[Method], request: CollectRequest) -> SeenTensor:
    if not seen.count:
        return SeenTensor(name, 0, seen.nans, seen.infinities, 0.0, 0.0)
    found = tuple(_judged(method.find(seen, request.precision), seen, request.judges) for method in methods)
    ends = float(seen.low), float(seen.high)
    channels = _channels(seen, request.per_channel)
    return SeenTensor(name, seen.count, seen.nans, seen.infinities, *ends, found, channels)


def _channels(seen: Seen, wanted: bool) -> SeenChannels | None:
    found, axis = seen.channels.known(), seen.channels.axis
    if found is None or axis is None:
        return None
    ends = tuple(tuple(each.tolist()) for each in found) if wanted else ((), ())
    return SeenChannels(axis, loudness(*found), *ends)


def _judged(found: Range, seen: Seen, judges: Sequence[Precision]) -> FoundRange:
    if not judges:
        return FoundRange(found.low, found.high)
    sqnr = tuple(seen.bins.sqnr(found.qparams(judge)) for judge in judges)
    return FoundRange(found.low, found.high, seen.bins.beyond(found.low, found.high), sqnr)
