"""Runs a model again and again, segment by segment, and shows every tensor. Runs in a process of its own.

The segments' sessions are built while the first sample runs and stay; all share one arena, so that what one tensor
leaves is taken by the next without asking the system for pages again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from errorflow.run.model import Array, RunError
from errorflow.run.parts import Parts, reads
from errorflow.run.sessions import run, runtime, told, type_proto, value_of

if TYPE_CHECKING:
    import onnx

# Nodes of the first segment, and of any.
FIRST, MOST = 4, 64
# What the nodes of one segment may make, judged by those before in the first sample.
SEGMENT_BYTES = 16 << 20
_CONSTANT = "Constant"

# Takes a tensor's name and its value of ONNX Runtime, which it may not keep, and gives how many bytes it has.
See = Callable[[str, Any], int]
# How many nodes have just run.
Step = Callable[[int], object]


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
        """How many run."""
        return len(self._nodes)

    def run(self, given: Mapping[str, Array], see: See, step: Step) -> None:
        """One sample: `see` is called with all inputs and then with what each node made, in the order of running."""
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
    """Of any shape: the next sample may have another one."""
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
