"""Readable names for GE's data types and layouts, which files give as names or as numbers."""

from errorflow.base.values import word_pairs
from errorflow.graph.model import Shape

# In the order of their numbers; "" is undefined.
_DTYPES = (
    *("", "float32", "float16", "int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64", "bool"),
    *("float64", "string", "dual_sub_int8", "dual_sub_uint8", "complex64", "complex128", "qint8", "qint16", "qint32"),
    *("quint8", "quint16", "resource", "string_ref", "dual", "variant", "bfloat16", "int4", "uint1", "int2", "uint2"),
    *("complex32", "hifloat8", "float8e5m2", "float8e4m3fn", "float8e8m0", "float6e3m2", "float6e2m3"),
    *("float4e2m1", "float4e1m2"),
)
_SPECIAL = word_pairs(
    "FLOAT:float32 DOUBLE:float64 BF16:bfloat16 UNDEFINED: FLOAT8_E5M2:float8e5m2 FLOAT8_E4M3FN:float8e4m3fn "
    "FLOAT8_E8M0:float8e8m0 FLOAT6_E3M2:float6e3m2 FLOAT6_E2M3:float6e2m3 FLOAT4_E2M1:float4e2m1 "
    "FLOAT4_E1M2:float4e1m2"
)
# The same types in the order in which the runtime of the small chips numbers them.
_NANO = (
    *("float32", "float16", "int8", "int32", "uint8", "", "int16", "uint16", "uint32", "int64", "uint64", "float64"),
    *("bool", "string", "dual_sub_int8", "dual_sub_uint8", "complex64", "complex128", "qint8", "qint16", "qint32"),
    *("quint8", "quint16", "resource", "string_ref", "dual", "variant", "bfloat16", "", "int4", "uint1", "int2"),
    "uint2",
)
_NANO_UNDEFINED = 28
# In the order of their numbers.
_LAYOUTS = (
    *("NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0"),
    *("FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN"),
    *("DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "LOOKUP_LOOKUPS", "LOOKUP_KEYS"),
    *("LOOKUP_VALUE", "LOOKUP_OUTPUT", "LOOKUP_HITS", "C1HWNCoC0", "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW"),
    *("DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC", "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM"),
    *("FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS", "FRACTAL_ZN_RNN", "YUV", "YUV_A", "NCL"),
    *("FRACTAL_Z_WINO", "C1HWC0"),
)
_MAX = 255
UNKNOWN_DIM, UNKNOWN_RANK = -1, -2
_NO_LAYOUT = frozenset({"RESERVED", "NULL", "MAX"})


def dtype_name(value: object) -> str:
    """`float32` for DT_FLOAT or 1; a name that is not known is given as it is, in small letters."""
    if isinstance(value, int):
        return _DTYPES[value] if 0 <= value < len(_DTYPES) else f"type {value}"
    if not isinstance(value, str):
        return ""
    if value.isdecimal() and len(value) < 6:
        return dtype_name(int(value))
    name = value.removeprefix("DT_")
    return _SPECIAL.get(name, name.lower())


def dtype_number(name: str) -> int:
    """The number that GE gives the type; a `ValueError` if it has none."""
    return _DTYPES.index(name)


def nano_dtype_name(number: int) -> str:
    """The same as `dtype_name` for the numbers in a dump of a small chip."""
    if number == _NANO_UNDEFINED:
        return ""
    known = 0 <= number < len(_NANO) and _NANO[number]
    return _NANO[number] if known else f"type {number}"


def layout_text(number: int) -> str:
    """The name of a layout as the vendor's tools write it, also where it means that there is none."""
    if number == _MAX:
        return "MAX"
    return _LAYOUTS[number] if 0 <= number < len(_LAYOUTS) else f"format {number}"


def layout_name(value: object) -> str:
    """`NCHW` for NCHW or FORMAT_NCHW; "" for the name that a left-out tensor carries."""
    if not isinstance(value, str):
        return ""
    name = value.removeprefix("FORMAT_")
    return "" if name in _NO_LAYOUT else name


def shape_of(dims: tuple[int, ...] | None) -> Shape:
    """GE writes -1 for a dimension, and -2 for a rank, that is open until the model runs."""
    if dims is None or UNKNOWN_RANK in dims:
        return None
    return tuple(None if dim == UNKNOWN_DIM else dim for dim in dims)
