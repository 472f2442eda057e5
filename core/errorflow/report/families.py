"""Families of operators by what they do, ten in all: pictures tell them apart by tone and a small mark, not by a
hue.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

# In the words of the legend.
FAMILIES = ("compute", "normalize", "activate", "combine", "reduce", "move", "quantize", "control", "border", "other")

_OPERATORS: Mapping[str, str] = MappingProxyType(
    {
        "compute": """
            Conv ConvTranspose ConvInteger QLinearConv DeformConv Gemm MatMul MatMulInteger QLinearMatMul Einsum
            LSTM GRU RNN Attention MultiHeadAttention GroupQueryAttention Conv2D Conv2DCompress DepthwiseConv2D
            Conv3D Conv2DTransposeD Deconvolution Convolution InnerProduct FullyConnection
            FullyConnectionCompress MatMulV2 BatchMatMul BatchMatMulV2 FusedMatMul FusedConv FusedGemm
        """,
        "normalize": """
            BatchNormalization InstanceNormalization LayerNormalization GroupNormalization RMSNormalization LRN
            MeanVarianceNormalization SimplifiedLayerNormalization SkipLayerNormalization LpNormalization
            BatchNorm BNInference LayerNorm BNTrainingUpdate Scale
        """,
        "activate": """
            Relu LeakyRelu PRelu Clip Sigmoid HardSigmoid HardSwish Tanh Softmax LogSoftmax Elu Selu Celu Gelu
            FastGelu Softplus Softsign Mish Swish Erf ReLU TanH Relu6 SoftmaxV2 PReLU Hardmax ThresholdedRelu
            ELU
        """,
        "combine": """
            Add Sub Mul Div Pow Sqrt Exp Log Neg Abs Reciprocal Min Max Sum Mean Where Equal Greater Less And Or
            Not Mod Floor Ceil Round Sign Eltwise RealDiv Power BiasAdd Xor GreaterOrEqual LessOrEqual Sin Cos
            Rsqrt Square
        """,
        "reduce": """
            MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool ReduceMean ReduceSum ReduceMax ReduceMin
            ReduceProd ReduceL1 ReduceL2 ReduceLogSumExp ArgMax ArgMin TopK Pooling AvgPool AvgPoolV2 MaxPoolV3
            ReduceMeanD ReduceSumD CumSum NonMaxSuppression
        """,
        "move": """
            Reshape Transpose Concat Split Slice Gather GatherElements GatherND Scatter ScatterElements
            ScatterND Squeeze Unsqueeze Flatten Expand Tile Pad Shape Size Identity Cast Constant
            ConstantOfShape Range Resize Upsample DepthToSpace SpaceToDepth OneHot NonZero TransData TransposeD
            ConcatD ConcatV2D StridedSliceD StridedSlice SplitD SplitVD GatherV2 GatherV2D Const Dropout PadD
            FlattenV2 TransShape Permute ShuffleChannel Interp Unpack Pack ExpandDims Compress CastLike Reverse
            ReverseSequence EyeLike
        """,
        "quantize": """
            QuantizeLinear DequantizeLinear DynamicQuantizeLinear FakeQuantize AscendQuant AscendDequant
            AscendRequant AscendAntiQuant Quant DeQuant AscendWeightQuant Quantize Dequantize FakeQuant Requant
        """,
        "control": """
            If Loop Scan Case While PartitionedCall StatelessIf StatelessWhile For StreamMerge StreamSwitch
            Enter Exit NextIteration LabelSet LabelGoto LabelGotoEx LabelSwitchByIndex
        """,
        "border": """
            Input Output Data NetOutput Parameter Placeholder
        """,
    }
)
_FAMILY_OF = {operator: family for family, names in _OPERATORS.items() for operator in names.split()}


# CANN's later versions of an operator (V2), and its form whose inputs became attributes (D), do what the first does.
_VARIANT = re.compile(r"(V\d+)?D?$")


def family_of(op_type: str) -> str:
    """Finds which of `FAMILIES` an operator type of any format belongs to."""
    family = _FAMILY_OF.get(op_type)
    return _FAMILY_OF.get(_VARIANT.sub("", op_type, count=1), "other") if family is None else family
