"""ONNX Runtime as a user has it: sessions, its quantizer, and measures the plain way."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Inputs = dict[str, NDArray[Any]]
# Nodes that nobody quantizes.
QUIET = ("Constant", "Shape", "Cast", "Identity")


def session(model: Any, every: bool) -> Any:
    """ONNX Runtime with one thread and nothing optimised; all tensors come out, or the outputs."""
    import onnx
    import onnxruntime

    if every:
        whole = onnx.ModelProto()
        whole.CopyFrom(model)
        made = [name for node in model.graph.node for name in node.output if name]
        whole.graph.output.extend(
            onnx.ValueInfoProto(name=name)
            for name in dict.fromkeys(made)
            if name not in {value.name for value in model.graph.output} and not name.endswith("_QuantizeLinear_Output")
        )
        model = whole
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(opened: Any, inputs: Inputs) -> Inputs:
    names = [value.name for value in opened.get_outputs()]
    return dict(zip(names, opened.run(None, inputs), strict=True))


def prepared(model: Any) -> Any:
    """What Constant nodes make as initializers: the tool looks for weights nowhere else."""
    for node in list(model.graph.node):
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            model.graph.initializer.append(node.attribute[0].t)
            model.graph.initializer[-1].name = node.output[0]
            model.graph.node.remove(node)
    return model


def name_nodes(model: Any) -> None:
    """The tool tells nodes by their names."""
    taken = {node.name for node in model.graph.node}
    for number, node in enumerate(model.graph.node):
        if not node.name:
            node.name = f"unnamed_{number}" if f"unnamed_{number}" not in taken else f"unnamed_{number}_"


def quantized(
    model: Any, ranges: Mapping[str, tuple[float, float]], exclude: Sequence[str] = (), only: Sequence[str] = ()
) -> Any:
    import onnx
    from onnxruntime.quantization import QuantType
    from onnxruntime.quantization.calibrate import CalibrationMethod, TensorsData
    from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
    from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    ends = {name: (np.float32(low), np.float32(high)) for name, (low, high) in ranges.items()}
    options = {"QDQKeepRemovableActivations": True, "ForceQuantizeNoInputCheck": True}
    quantizer = QDQQuantizer(
        copy,
        False,
        False,
        QuantType.QInt8,
        QuantType.QUInt8,
        TensorsData(CalibrationMethod.MinMax, ends),
        list(only),
        list(exclude),
        list({*QDQRegistry, *QLinearOpsRegistry}),
        options,
    )
    quantizer.quantize_model()
    return quantizer.model.model


def metrics(golden: Inputs, mine: Inputs) -> list[tuple[Any, ...]]:
    """Cosine, relative error, SQNR, largest and mean absolute error, the plain way."""
    found: list[tuple[Any, ...]] = []
    for name in golden.keys() & mine.keys():
        if golden[name].dtype == np.float32 and golden[name].shape == mine[name].shape:
            r, c = (each.reshape(-1).astype(np.float64) for each in (golden[name], mine[name]))
            d = np.abs(c - r)
            rr, cc, dd = (np.dot(each, each) for each in (r, c, d))
            with np.errstate(all="ignore"):
                cosine = np.dot(r, c) / np.sqrt(rr * cc)
                found.append((cosine, np.sqrt(dd / rr), 10 * np.log10(rr / dd), d.max(initial=0), d.mean()))
    return found


def coded_tensors(model: Any) -> dict[str, str]:
    """What a model with QuantizeLinear has in codes, by the names that it had before, and what each holds."""
    import onnx

    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    found: dict[str, str] = {}
    for node in model.graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        name, scale = node.input[0], stored.get(node.input[1])
        if name in stored:
            several = scale is not None and int(np.prod(scale.dims)) > 1
            # A constant that flows, such as one that is added, is no weight: it has codes like an activation.
            kinds = {onnx.TensorProto.INT32: "bias", onnx.TensorProto.UINT8: "activation"}
            kind = kinds.get(stored[name].data_type, "weights" if several else "weight")
            found[name.removesuffix("_quantized")] = kind
        elif node.op_type == "QuantizeLinear":
            found[name] = "activation"
    return found
