"""Plans that mimic what a toolchain does by default. To add one: a row in PRESETS."""

from dataclasses import dataclass

from errorflow.base.errors import UsageError
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision


@dataclass(frozen=True, slots=True)
class Preset:
    """A plan with a name, and how far it can be trusted to stand for the target."""

    key: str
    label: str
    plan: Plan
    # The method of calibration that the target takes by default.
    method: str
    mimics: str
    leaves_out: str


_BYTES = Precision("uint8")
_SIGNED = Precision("int8")
_EVEN = Precision("int8", symmetric=True)
_EACH = Precision("int8", symmetric=True, per_channel=True)
_TYPES = (
    "Add ArgMax AveragePool BatchNormalization Clip Concat Conv ConvTranspose CumSum Flatten Gather GatherElements "
    "Gemm GlobalAveragePool InstanceNormalization LayerNormalization LeakyRelu MatMul MaxPool Mul Pad Relu Reshape "
    "Resize Sigmoid Slice Softmax Split Squeeze TopK Transpose Unsqueeze Where"
)
# What its tool knows how to quantize.
ONNX_RUNTIME_TYPES = tuple(_TYPES.split())
_AMCT = ("Conv", "ConvTranspose", "Gemm", "MatMul", "AveragePool")
_HORIZON_LEFT_OUT = (
    "Operators that run on the CPU stay in float there and are quantized here; the toolchain's choice of the threshold "
    "by layer, and what its compiler fuses."
)

PRESETS: tuple[Preset, ...] = (
    Preset(
        "onnxruntime",
        "ONNX Runtime QDQ",
        Plan(_SIGNED, _EVEN, types=ONNX_RUNTIME_TYPES, preset="onnxruntime", fitted=True),
        "minmax",
        "What quantize_static does when nothing is said: int8 activations with a zero point, one int8 scale per "
        "weight, biases of 32 bits, the operators of its table; what only Relu or Clip read has the range of what they "
        "make, and Softmax makes 0 to 1.",
        "Relu and Clip stay where the tool takes them out; the kernels of integers, which are the run “as deployed”.",
    ),
    Preset(
        "onnxruntime-x86",
        "ONNX Runtime QDQ for x86",
        Plan(_BYTES, _EACH, types=ONNX_RUNTIME_TYPES, preset="onnxruntime-x86", fitted=True),
        "minmax",
        "What its guide advises for x86 with VNNI: uint8 activations, int8 weights with a scale per channel.",
        "The same; on x86 without VNNI sums of products overflow, for which weights of 7 bits are advised.",
    ),
    Preset(
        "amct",
        "Ascend AMCT",
        Plan(_SIGNED, _EACH, outputs=False, types=_AMCT, preset="amct"),
        "mse",
        "What AMCT quantizes by default: what goes into convolutions, matrix products and average pools, in int8 with "
        "an offset, and their weights in int8 with a scale per channel.",
        "Its search of the activations' range (IFMR), in place of which stands the smallest squared error; fusion "
        "with BatchNorm before weights are quantized; what ATC makes of the model afterwards.",
    ),
    Preset(
        "pulsar2-u8",
        "Pulsar2 U8",
        Plan(_BYTES, _EACH, preset="pulsar2-u8"),
        "minmax",
        "All operators with uint8 activations, int8 weights with a scale per channel.",
        "What its front end fuses and rewrites before; operators that it keeps in more bits by itself.",
    ),
    Preset(
        "pulsar2-u16",
        "Pulsar2 U16",
        Plan(Precision("uint16"), _EACH, preset="pulsar2-u16"),
        "minmax",
        "All operators with uint16 activations, weights in int8 with a scale per channel.",
        "The same; and that not every operator can be had in 16 bits.",
    ),
    Preset(
        "horizon-int8",
        "Horizon int8",
        Plan(_EVEN, _EACH, outputs=False, preset="horizon-int8"),
        "entropy",
        "Symmetric int8 for what is read, weights with a scale per channel, as HzCalibration nodes stand in the model.",
        _HORIZON_LEFT_OUT,
    ),
    Preset(
        "horizon-int16",
        "Horizon int16",
        Plan(Precision("int16", symmetric=True), _EACH, outputs=False, preset="horizon-int16"),
        "entropy",
        "The same with int16 for what is read.",
        _HORIZON_LEFT_OUT,
    ),
)


def preset(key: str) -> Preset:
    """The row of that name."""
    for found in PRESETS:
        if found.key == key:
            return found
    raise UsageError(f"There is no preset {key[:40]}.", f"Choose one of {', '.join(each.key for each in PRESETS)}.")
