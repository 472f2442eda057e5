"""ONNX Runtime, and quantized models as ONNX."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.report.toolchains.model import Toolchain


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.onnxruntime.toolchains.qdq import QDQ
    from errorflow.vendors.onnxruntime.toolchains.quantizer import ONNX_RUNTIME

    return (ONNX_RUNTIME, QDQ)


ONNXRUNTIME = Vendor("onnxruntime", toolchains=_toolchains)
