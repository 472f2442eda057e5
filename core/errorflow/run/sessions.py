"""ONNX Runtime as it is used here: nothing is optimised away, one thread, and its errors are sentences."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.run.model import Array
from errorflow.run.refusals import refusal

if TYPE_CHECKING:
    import onnx

OPTIMISATION = "off"
_TENSOR = re.compile(r"tensor\((?P<element>\w+)\)")
_NESTED = re.compile(r"(?P<kind>seq|optional)\((?P<inner>.+)\)")
# As ONNX Runtime calls them, where that is not what ONNX does.
_ELEMENTS = {"float": "FLOAT", "double": "DOUBLE"}
# What numpy lacks, with the type that holds it without loss.
WIDENED = {
    "bfloat16": "float",
    "float8e4m3fn": "float",
    "float8e4m3fnuz": "float",
    "float8e5m2": "float",
    "float8e5m2fnuz": "float",
    "int4": "int8",
    "uint4": "uint8",
}
BFLOAT16 = 16


def runtime() -> Any:
    """The library, or a sentence on how to get it."""
    try:
        import onnxruntime
    except ImportError as error:
        raise UsageError(
            "Running models needs ONNX Runtime, which is not installed.",
            "Install it with `pip install errorflow[run]`.",
        ) from error
    onnxruntime.set_default_logger_severity(4)
    # Nothing is sent anywhere; where the library begins with it at once, `errorflow` itself has told it not to.
    onnxruntime.disable_telemetry_events()
    return onnxruntime


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns refusals of ONNX Runtime into sentences."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    refused: list[type[Exception]] = [RuntimeError, ValueError]
    refused += [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    try:
        yield
    except tuple(refused) as error:
        raise refusal(path, str(error)) from error


def session(model: "onnx.ModelProto", folder: Path, threads: int) -> Any:
    """A session of a model whose other files lie in `folder`."""
    library = runtime()
    options = library.SessionOptions()
    # What is fused away cannot be observed.
    options.graph_optimization_level = library.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.use_deterministic_compute = True
    # What a segment made is given back as soon as nobody reads it any more.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 4
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    return library.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(opened: Any, feeds: Mapping[str, Any], names: Sequence[str] | None = None) -> list[Any]:
    """Runs; the results are still values of ONNX Runtime."""
    found: list[Any] = opened.run_with_ort_values(names, dict(feeds))
    return found


def value_of(array: Array, dtype: str = "") -> Any:
    """The array as a value of ONNX Runtime; `bfloat16` is the one type that arrays hold as another."""
    library = runtime()
    if dtype != "bfloat16":
        return library.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).reshape(array.shape)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    codes = np.where(np.isnan(array.astype(np.float32)), 0x7FC0, rounded).astype(np.uint16)
    return library.OrtValue.ortvalue_from_numpy_with_onnx_type(codes, BFLOAT16)


def element(type_text: str) -> str:
    """Finds the element type of a tensor's type such as `tensor(float)`; "" for all that is no tensor."""
    found = _TENSOR.fullmatch(type_text)
    return "" if found is None else found["element"]


def type_proto(text: str, shape: Sequence[int] | None = None) -> "onnx.TypeProto | None":
    """The type that ONNX Runtime calls `tensor(float)` or `seq(tensor(float))`; None for others."""
    import onnx
    from onnx import helper

    if element(text):
        name = element(text)
        number = onnx.TensorProto.DataType.Value(_ELEMENTS.get(name, name.upper()))
        return helper.make_tensor_type_proto(number, shape)
    nested = _NESTED.fullmatch(text)
    inner = None if nested is None else type_proto(nested["inner"])
    if nested is None or inner is None:
        return None
    make = helper.make_sequence_type_proto if nested["kind"] == "seq" else helper.make_optional_type_proto
    return make(inner)


class Arrays:
    """Turns values into arrays; types that numpy lacks are widened by a model of one Cast."""

    def __init__(self) -> None:
        self._casts: dict[str, Any] = {}

    def of(self, value: Any) -> Array | str:
        """The array, or why there is none."""
        if not value.is_tensor():
            return f"it is no tensor but {value.data_type()}"
        kind = element(value.data_type())
        if kind == "string":
            return "it holds texts"
        if kind in WIDENED:
            value = run(self._cast(kind), {"x": value})[0]
        array: Array = value.numpy()
        return array

    def _cast(self, kind: str) -> Any:
        if kind not in self._casts:
            from onnx import helper

            source, target = type_proto(f"tensor({kind})"), type_proto(f"tensor({WIDENED[kind]})")
            assert source is not None and target is not None
            node = helper.make_node("Cast", ["x"], ["y"], to=target.tensor_type.elem_type)
            graph = helper.make_graph(
                [node], "widen", [helper.make_value_info("x", source)], [helper.make_value_info("y", target)]
            )
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
            self._casts[kind] = session(model, Path(), 1)
        return self._casts[kind]
