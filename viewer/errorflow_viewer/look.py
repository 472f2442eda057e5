"""The two themes as values, the sizes, and the tone of each operator family. No widget names a colour of its own.

Quiet instrument, loud fault: everything here is calm but the error scale, which is reserved for measured error.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Text sizes in px: labels, body, panel titles, start page.
LABEL, BODY, TITLE, DISPLAY = 11, 12, 14, 20
# The 4 px grid.
GRID, PADDING, GAP, ROW, TARGET, RADIUS = 4, 8, 12, 24, 24, 4
FONT_FAMILY = "Errorflow Sans"

# What an operator does, in the words of the legend. A family has a tone, never a hue of the error scale.
FAMILIES = ("compute", "normalize", "activate", "combine", "reduce", "move", "quantize", "control", "border", "other")


@dataclass(frozen=True, slots=True)
class Banner:
    """Colours of one kind of message."""

    background: str
    border: str
    mark: str


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of the window as #RRGGBB."""

    name: str
    # Chrome (toolbar, dock titles, status bar); lists and forms; cards and pop-ups.
    background: str
    surface: str
    raised: str
    hover: str
    hairline: str
    control_border: str
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    focus: str
    # Rows that are selected in lists.
    selected: str
    selected_text: str
    link: str
    # The graph.
    canvas: str
    groups: tuple[str, ...]
    group_border: str
    group_text: str
    families: Mapping[str, str]
    node_border: str
    node_text: str
    edge: str
    edge_strong: str
    selection: str
    # Messages.
    error: Banner
    warning: Banner
    info: Banner
    # States beside the error scale, which is `errorflow.report.scale`.
    not_measured: str
    overflow: str

    @property
    def dark(self) -> bool:
        return self.name == "dark"


LIGHT = Theme(
    name="light",
    background="#F3F5F8",
    surface="#FFFFFF",
    raised="#FFFFFF",
    hover="#E8EDF2",
    hairline="#DCE1E7",
    control_border="#B9C2CC",
    text="#1B232C",
    muted="#5A6672",
    disabled="#9AA4AE",
    accent="#2C5A86",
    on_accent="#FFFFFF",
    focus="#3A7BC8",
    selected="#D6E4F2",
    selected_text="#10202F",
    link="#23578C",
    canvas="#FAFBFC",
    groups=("#F2F5F8", "#EAEFF4", "#E2E9F0", "#DAE3EB", "#D2DCE6", "#CBD6E1"),
    group_border="#CDD6DF",
    group_text="#5A6672",
    families=MappingProxyType(
        {
            "compute": "#B4C3D2",
            "normalize": "#CBD6DF",
            "activate": "#D5DCE4",
            "combine": "#DDE3E9",
            "reduce": "#C6CFDB",
            "move": "#EBEFF3",
            "quantize": "#C9C9DC",
            "control": "#BDBFD3",
            "border": "#FFFFFF",
            "other": "#E1E5EA",
        }
    ),
    node_border="#93A1AF",
    node_text="#1B232C",
    edge="#A3AFBB",
    edge_strong="#5F6D7B",
    selection="#1F6FC4",
    error=Banner("#FCEBE7", "#F0BDB0", "#B93A17"),
    warning=Banner("#FDF5DF", "#EBD594", "#8A6100"),
    info=Banner("#E8F0F8", "#BFD3E6", "#2C5A86"),
    not_measured="#C3CAD2",
    overflow="#C2189B",
)

DARK = Theme(
    name="dark",
    background="#1B2026",
    surface="#20262D",
    raised="#2A313A",
    hover="#2F3741",
    hairline="#343C46",
    control_border="#505B67",
    text="#E2E7EC",
    muted="#9CA7B3",
    disabled="#66717D",
    accent="#86B7E8",
    on_accent="#10202F",
    focus="#5E9FE3",
    selected="#2C4A68",
    selected_text="#F0F5FA",
    link="#8FBEEC",
    canvas="#171B20",
    groups=("#1D2228", "#232930", "#293038", "#2F3740", "#353E48", "#3B4550"),
    group_border="#3A434E",
    group_text="#9CA7B3",
    families=MappingProxyType(
        {
            "compute": "#566779",
            "normalize": "#475461",
            "activate": "#404B57",
            "combine": "#3A444F",
            "reduce": "#4A5567",
            "move": "#2E363F",
            "quantize": "#4F4F68",
            "control": "#575A78",
            "border": "#1D2228",
            "other": "#363F49",
        }
    ),
    node_border="#6F7D8C",
    node_text="#E2E7EC",
    edge="#5C6874",
    edge_strong="#9CA9B6",
    selection="#6CB2F7",
    error=Banner("#3A2522", "#6E3A2E", "#FF9075"),
    warning=Banner("#36301F", "#665526", "#E8BE5A"),
    info=Banner("#212F3D", "#37536E", "#86B7E8"),
    not_measured="#4A545F",
    overflow="#FF5FD2",
)

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
            AscendRequant AscendAntiQuant Quant DeQuant AscendWeightQuant Quantize Dequantize FakeQuant
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


def family_of(op_type: str) -> str:
    """Which of `FAMILIES` an operator type of any format belongs to."""
    return _FAMILY_OF.get(op_type, "other")
