"""ONNX Runtime, and quantized models as ONNX."""

from errorflow.base.vendor import Ranked, Vendor


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.onnxruntime.definitions import ONNX_RUNTIME

    return ONNX_RUNTIME


def _presets() -> tuple[Ranked, ...]:
    from errorflow.vendors.onnxruntime.presets import PRESETS

    return PRESETS


def _readback() -> tuple[Ranked, ...]:
    from errorflow.vendors.onnxruntime.readback.qdq import QDQ
    from errorflow.vendors.onnxruntime.readback.qoperator import QOPERATOR

    return (QDQ, QOPERATOR)


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.onnxruntime.toolchains.qdq import QDQ
    from errorflow.vendors.onnxruntime.toolchains.quantizer import ONNX_RUNTIME

    return (ONNX_RUNTIME, QDQ)


def _guide() -> tuple[Ranked, ...]:
    from errorflow.vendors.onnxruntime.guide import ONNX, TARGET

    return (*ONNX, TARGET)


ONNXRUNTIME = Vendor(
    "onnxruntime", definitions=_definitions, presets=_presets, readback=_readback, toolchains=_toolchains, guide=_guide
)
