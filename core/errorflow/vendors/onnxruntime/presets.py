"""Plans as quantize_static makes them."""

from errorflow.quant.plan import Plan
from errorflow.quant.presets import BYTES, EACH, EVEN, SIGNED, Preset

_TYPES = (
    "Add ArgMax AveragePool BatchNormalization Clip Concat Conv ConvTranspose CumSum Flatten Gather GatherElements "
    "Gemm GlobalAveragePool InstanceNormalization LayerNormalization LeakyRelu MatMul MaxPool Mul Pad Relu Reshape "
    "Resize Sigmoid Slice Softmax Split Squeeze TopK Transpose Unsqueeze Where"
)
# What its tool knows how to quantize.
ONNX_RUNTIME_TYPES = tuple(_TYPES.split())
PRESETS = (
    Preset(
        "onnxruntime",
        "ONNX Runtime QDQ",
        Plan(SIGNED, EVEN, types=ONNX_RUNTIME_TYPES, preset="onnxruntime", fitted=True),
        "minmax",
        "What quantize_static does when nothing is said: int8 activations with a zero point, one int8 scale per "
        "weight, biases of 32 bits, the operators of its table; what only Relu or Clip read has the range of what they "
        "make, and Softmax makes 0 to 1.",
        "Relu and Clip stay where the tool takes them out; the kernels of integers, which are the run “as deployed”.",
        rank=-1,
    ),
    Preset(
        "onnxruntime-x86",
        "ONNX Runtime QDQ for x86",
        Plan(BYTES, EACH, types=ONNX_RUNTIME_TYPES, preset="onnxruntime-x86", fitted=True),
        "minmax",
        "What its guide advises for x86 with VNNI: uint8 activations, int8 weights with a scale per channel.",
        "The same; on x86 without VNNI sums of products overflow, for which weights of 7 bits are advised.",
        rank=-1,
    ),
)
ROWS = PRESETS
