"""Runs a model as it is deployed: with all that ONNX Runtime optimises. In a process of its own, which stays."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.base.values import dataclass
from errorflow.run.parts import Parts
from errorflow.run.sessions import BFLOAT16, Arrays, run, runtime, told, value_of

if TYPE_CHECKING:
    import onnx

LEVEL = "all"
THREADS = 1
_OPTIMISED = "optimised.onnx"
_DEQUANTIZE = "DequantizeLinear"
# The numbers that ONNX has for uint8, int8, uint16, int16, uint4 and int4.
_CODES = frozenset((2, 3, 4, 5, 21, 22))
_FLOATS = frozenset((1,))
# Those whose operators go by their own name alone.
_USUAL = frozenset(("", "ai.onnx", "com.microsoft"))


def serve(model: str, folder: str, fed: Mapping[str, str] | None, outputs: list[str]) -> dict[str, Any]:
    """Describes the session; with files to be `fed`, returns the files of the outputs too.

    `folder` is where all files are, and where what ONNX Runtime makes of the model is written meanwhile.
    """
    place = Path(folder)
    opened = _opened(model, folder)
    if fed is None:
        return opened.facts
    with told(Path(model)):
        given = {name: value_of(_loaded(place / file), opened.stored_as.get(name, "")) for name, file in fed.items()}
        found = run(opened.session, given, outputs)
    return {"files": _written(place, dict(zip(outputs, found, strict=True)))}


@dataclass(frozen=True, slots=True)
class _Opened:
    session: Any
    # Inputs of a type that arrays hold as another one.
    stored_as: Mapping[str, str]
    facts: dict[str, Any]


@lru_cache(maxsize=1)
def _opened(model: str, folder: str) -> _Opened:
    path, place = Path(model), Path(folder)
    library = runtime()
    library.set_seed(0)
    parts = Parts.load(path)
    parts.check_operators()
    graph = parts.model.graph
    with told(path):
        session = _session(library, path, place / _OPTIMISED)
    left = _left(place / _OPTIMISED)
    before, after = _kinds(graph.node), _kinds(left.node)
    facts = {
        "runtime": library.__version__,
        "before": before.total(),
        "after": after.total(),
        "fused": {kind: count for kind, count in after.most_common() if kind not in before},
        # A weight that several nodes read may be there several times afterwards.
        "coded": max(0, min(_weights(left, _CODES) - _weights(graph, _CODES), _weights(graph, _FLOATS))),
        "scales": _scales(parts),
    }
    narrow = (value.name for value in graph.input if value.type.tensor_type.elem_type == BFLOAT16)
    return _Opened(session, dict.fromkeys(narrow, "bfloat16"), facts)


def _session(library: Any, path: Path, optimised: Path) -> Any:
    options = library.SessionOptions()
    options.graph_optimization_level = library.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS
    options.use_deterministic_compute = True
    # What one node gave back is there for the next one, and for other processes too.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    # Weights stand apart, so that the nodes can be looked at without them.
    options.optimized_model_filepath = str(optimised)
    options.add_session_config_entry(
        "session.optimized_model_external_initializers_file_name", f"{optimised.name}.data"
    )
    options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", "1024")
    return library.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _left(optimised: Path) -> "onnx.GraphProto":
    """Reads what ONNX Runtime made of the model; the files go."""
    import onnx

    found = onnx.load(optimised, load_external_data=False).graph
    optimised.unlink()
    optimised.with_name(f"{optimised.name}.data").unlink(missing_ok=True)
    return found


def _weights(graph: "onnx.GraphProto", types: frozenset[int]) -> int:
    """Counts the weights of these types; scales and zero points have one dimension at most."""
    return sum(tensor.data_type in types and len(tensor.dims) > 1 for tensor in graph.initializer)


def _kinds(nodes: "Iterable[onnx.NodeProto]") -> Counter[str]:
    """Counts each operator; those in another layout are others."""
    return Counter(
        node.op_type if node.domain in _USUAL else f"{node.domain.rpartition('.')[2]}:{node.op_type}" for node in nodes
    )


def _scales(parts: Parts) -> dict[str, Any]:
    """Finds by output the steps of its codes and their axis, where it is made of codes."""
    from onnx import numpy_helper

    makers = {name: node for node in parts.nodes for name in node.output}
    found: dict[str, Any] = {}
    for value in parts.model.graph.output:
        node = makers.get(value.name)
        scale = parts.constants.get(node.input[1]) if node is not None and node.op_type == _DEQUANTIZE else None
        if node is not None and scale is not None:
            steps = numpy_helper.to_array(scale).astype(np.float64).reshape(-1)
            axis = next((each.i for each in node.attribute if each.name == "axis"), 1)
            found[value.name] = [steps.tolist(), axis if len(steps) > 1 else None]
    return found


def _loaded(file: Path) -> "np.ndarray[Any, Any]":
    array: np.ndarray[Any, Any] = np.load(file, allow_pickle=False)
    return array


def _written(folder: Path, values: Mapping[str, Any]) -> dict[str, str]:
    """Writes those values that can be arrays."""
    arrays = Arrays()
    files: dict[str, str] = {}
    for number, (name, value) in enumerate(values.items()):
        found = arrays.of(value)
        if not isinstance(found, str):
            files[name] = f"deployed-{number}.npy"
            np.save(folder / files[name], found, allow_pickle=False)
    return files
