"""The element types of ONNX tensors: names as numpy and its relatives have them, and how many bits one value takes."""

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class DType:
    """`field` is the TensorProto field that holds values of this type where they are not raw bytes."""

    name: str
    bits: int
    field: int


FLOATS, INT32S, STRINGS, INT64S, DOUBLES, UINT64S = 4, 5, 6, 7, 10, 11

# By the number that ONNX gives it. To add one: a row, and its decoding in `tensors`.
DTYPES: dict[int, DType] = {
    1: DType("float32", 32, FLOATS),
    2: DType("uint8", 8, INT32S),
    3: DType("int8", 8, INT32S),
    4: DType("uint16", 16, INT32S),
    5: DType("int16", 16, INT32S),
    6: DType("int32", 32, INT32S),
    7: DType("int64", 64, INT64S),
    8: DType("string", 0, STRINGS),
    9: DType("bool", 8, INT32S),
    10: DType("float16", 16, INT32S),
    11: DType("float64", 64, DOUBLES),
    12: DType("uint32", 32, UINT64S),
    13: DType("uint64", 64, UINT64S),
    14: DType("complex64", 64, FLOATS),
    15: DType("complex128", 128, DOUBLES),
    16: DType("bfloat16", 16, INT32S),
    17: DType("float8e4m3fn", 8, INT32S),
    18: DType("float8e4m3fnuz", 8, INT32S),
    19: DType("float8e5m2", 8, INT32S),
    20: DType("float8e5m2fnuz", 8, INT32S),
    21: DType("uint4", 4, INT32S),
    22: DType("int4", 4, INT32S),
    23: DType("float4e2m1", 4, INT32S),
    24: DType("float8e8m0", 8, INT32S),
    25: DType("uint2", 2, INT32S),
    26: DType("int2", 2, INT32S),
    27: DType("float6e2m3", 6, INT32S),
    28: DType("float6e3m2", 6, INT32S),
}


def dtype_name(number: int) -> str:
    """ "" where the file leaves it open; a type that is newer than this table is named by its number."""
    if number in DTYPES:
        return DTYPES[number].name
    return f"type {number}" if number else ""
