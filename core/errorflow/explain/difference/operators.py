"""Operators and what they do, whatever they are called: names of the same work, conversions, what others can absorb."""

from typing import Literal

# Why a conversion was put in.
Conversion = Literal["quantization", "type", "layout"]

_ALIASES: dict[str, tuple[str, ...]] = {
    "Conv": (
        *("QLinearConv", "ConvInteger", "FusedConv", "NhwcConv", "Conv2D", "Conv2DCompress", "Convolution"),
        *("DepthwiseConv2D", "DepthwiseConv2dNative", "ConvolutionDepthwise", "QConv2D"),
    ),
    "ConvTranspose": ("Conv2DTransposeD", "Conv2DTranspose", "Deconvolution", "Conv2DBackpropInput"),
    "MatMul": (
        *("QLinearMatMul", "MatMulInteger", "MatMulV2", "MatMulV3", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"),
        *("Gemm", "QGemm", "GemmV2", "FullyConnection", "InnerProduct", "FusedMatMul"),
    ),
    "Add": ("QLinearAdd", "AddV2", "Eltwise", "BiasAdd", "AddN"),
    "Mul": ("QLinearMul",),
    "Concat": ("QLinearConcat", "ConcatD", "ConcatV2", "ConcatV2D"),
    "BatchNormalization": ("BNInference", "BNInferenceD", "BatchNorm", "BatchNormExt2"),
    "MaxPool": ("MaxPoolV2", "MaxPoolV3", "NhwcMaxPool"),
    "AveragePool": ("QLinearAveragePool", "AvgPool", "AvgPoolV2"),
    "GlobalAveragePool": ("QLinearGlobalAveragePool", "GlobalAveragePoolV2"),
    "Clip": ("Relu6", "ClipByValueV2", "ClipByValue"),
    "Sigmoid": ("QLinearSigmoid",),
    "LeakyRelu": ("QLinearLeakyRelu",),
    "Softmax": ("QLinearSoftmax", "SoftmaxV2"),
    "Transpose": ("TransposeD", "Permute"),
    "Split": ("SplitD", "SplitV", "SplitVD", "Slice_split"),
    "ReduceMean": ("ReduceMeanD",),
    "Flatten": ("FlattenV2",),
}
_WORK = {name: work for work, names in _ALIASES.items() for name in names}

CONVERSIONS: dict[str, Conversion] = {
    **dict.fromkeys(
        (
            *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "FakeQuantize", "FakeQuant"),
            *("Quantize", "Dequantize", "Quant", "Dequant", "AscendQuant", "AscendQuantV2", "AscendDequant"),
            *("AscendAntiQuant", "AscendRequant", "AscendWeightQuant"),
        ),
        "quantization",
    ),
    **dict.fromkeys(("Cast", "CastLike"), "type"),
    **dict.fromkeys(("TransData", "TransDataRNN"), "layout"),
}
# What is often computed by the node before it, and by the one behind it.
BY_PRODUCER = frozenset(
    (
        *("BatchNormalization", "Relu", "Clip", "LeakyRelu", "PRelu", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid"),
        *("Add", "Mul", "Sub", "Div", "Scale", "Elu", "Gelu", "Erf"),
    )
)
BY_CONSUMER = frozenset(("Pad", "PadD", "PadV3", "Transpose"))


# Where values come from and go to: some formats have nodes for that, others do not.
ENTRIES = frozenset(("Data", "AippData", "AnnData", "RefData", "Placeholder"))
COLLECTS = "NetOutput"
BORDERS = ENTRIES | {"Const", "Constant", "Variable", COLLECTS}


def work_of(op_type: str) -> str:
    """Names the work: one name for all operators that do the same."""
    return _WORK.get(op_type, op_type)
