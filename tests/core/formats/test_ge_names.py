"""Readable names for types, layouts and shapes."""

import pytest

from errorflow.formats.ge_names import dtype_name, layout_name, shape_of


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("DT_FLOAT", "float32"),
        ("DT_FLOAT16", "float16"),
        ("DT_INT8", "int8"),
        ("DT_INT32", "int32"),
        ("DT_INT64", "int64"),
        ("DT_BOOL", "bool"),
        ("DT_DOUBLE", "float64"),
        ("DT_BF16", "bfloat16"),
        ("DT_INT4", "int4"),
        ("DT_STRING", "string"),
        ("DT_FLOAT8_E4M3FN", "float8e4m3fn"),
        ("DT_UNDEFINED", ""),
        ("DT_NEWEST", "newest"),
        (1, "float32"),
        ("1", "float32"),
        (27, "bfloat16"),
        (35, "float8e4m3fn"),
        (40, "float4e1m2"),
        (0, ""),
        (99, "type 99"),
        (-1, "type -1"),
        (None, ""),
        ("", ""),
        ([], ""),
    ],
)
def test_dtypes(given: object, name: str) -> None:
    assert dtype_name(given) == name


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("NCHW", "NCHW"),
        ("FORMAT_ND", "ND"),
        ("FORMAT_RESERVED", ""),
        ("NC1HWC0", "NC1HWC0"),
        (None, ""),
        (3, ""),
        ("", ""),
    ],
)
def test_layouts(given: object, name: str) -> None:
    assert layout_name(given) == name


@pytest.mark.parametrize(
    ("dims", "shape"),
    [((), ()), ((1, 2), (1, 2)), ((-1, 2), (None, 2)), ((-2,), None), ((1, -2), None), (None, None), ((0,), (0,))],
)
def test_shapes(dims: tuple[int, ...] | None, shape: object) -> None:
    assert shape_of(dims) == shape
