"""What happens between two tensors and the metrics, against what msaccucmp 26.2.0 made of the same tensors."""

import json
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.formats.convert import LAYOUTS, ConvertError, prepare, prepare_arrays, prepare_npu, strip_padding
from errorflow.graph.dump import TensorInfo

# Recorded with msaccucmp 26.2.0: tensors of 0, 1, 2, … in random layouts and shapes, and the CRC of what it compared.
RECORDED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "data" / "compare" / "prepared.json").read_text()
)


def counted(shape: list[int]) -> NDArray[np.float32]:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def info_of(case: dict[str, Any]) -> TensorInfo:
    return info(case["fmt"], tuple(case["stored"]), tuple(case["orig"]) or None, case["groups"])


def info(layout: str, shape: tuple[int, ...], original: tuple[int, ...] | None = None, groups: int = 1) -> TensorInfo:
    return TensorInfo("output:0", "float32", shape, 0, layout, original, groups)


def crc(array: NDArray[Any]) -> int:
    return zlib.crc32(array.astype("<f4").tobytes())


def prepared(case: dict[str, Any]) -> object:
    """The shape and the sums, or why there are none."""
    try:
        made = prepare(
            counted(case["stored"]),
            info_of(case),
            counted(case["gshape"]),
            operator="oper",
            origin_layout=case["olay"],
            declared_shape=tuple(case["declared"]),
            single=case["single"],
        )
    except ConvertError as error:
        return error.reason
    return [list(made.shape), crc(made.mine), crc(made.golden)] if made.refused is None else made.refused


def test_the_tensors_become_what_the_tool_makes_of_them() -> None:
    made = [(at, prepared(case), case["result"]) for at, case in enumerate(RECORDED)]
    assert len(made) >= 400
    assert not [f"case {at}: {found} is not {wanted}" for at, found, wanted in made if found != wanted]


def test_padding_is_stripped_as_the_tool_does() -> None:
    made = [crc(strip_padding(counted(case["stored"]), info_of(case))) for case in RECORDED]
    assert not [at for at, (found, case) in enumerate(zip(made, RECORDED, strict=True)) if found != case["stripped"]]


shapes = st.lists(st.integers(0, 9), max_size=7).map(tuple)
declared = st.lists(st.integers(0, 2**40) | st.integers(0, 9), max_size=7).map(tuple)


@given(
    mine=shapes,
    golden=shapes,
    claimed=declared,
    layout=st.sampled_from(LAYOUTS),
    origin=st.sampled_from(["", *LAYOUTS]),
    groups=st.integers(0, 5),
    single=st.booleans(),
)
def test_whatever_two_tensors_claim_they_go_together_or_not(
    mine: tuple[int, ...],
    golden: tuple[int, ...],
    claimed: tuple[int, ...],
    layout: str,
    origin: str,
    groups: int,
    single: bool,
) -> None:
    assume(math.prod(mine) < 10_000 and math.prod(golden) < 10_000)
    try:
        made = prepare(
            np.zeros(mine, np.float16),
            info(layout, mine, claimed, groups),
            np.zeros(golden, np.float32),
            origin_layout=origin,
            declared_shape=claimed,
            single=single,
        )
    except ConvertError as error:
        assert error.message
    else:
        assert made.mine.shape == made.golden.shape
        assert math.prod(made.shape) == made.mine.size


def test_what_the_tool_cannot_convert_is_prepared_and_marked() -> None:
    made = prepare(counted([2, 3, 1, 1]), info("CHWN", (2, 3, 1, 1)), counted([1, 2, 3, 1]), origin_layout="NCHW")
    assert made.refused == ""
    assert made.done == ("CHWN → NCHW",)
    assert made.mine.tolist() == made.golden.tolist()


def test_a_row_says_what_was_done() -> None:
    golden = counted([1, 3, 2, 2])
    made = prepare(np.zeros((1, 1, 2, 2, 16)), info("NC1HWC0", (1, 1, 2, 2, 16)), golden, origin_layout="NCHW")
    assert made.done == ("NC1HWC0 → NCHW", "(1, 16, 2, 2) cut to (1, 3, 2, 2)")


def test_a_layout_that_nobody_knows_is_named() -> None:
    with pytest.raises(ConvertError, match="no layout") as raised:
        prepare(counted([4]), info("ND", (4,)), counted([4]), origin_layout="FOO")
    assert raised.value.reason == 'The format " FOO " is not supported.'


@pytest.mark.parametrize(("layout", "number"), [("FRACTAL_ZZ", 28), ("NC", 35), ("format 50", 50)])
def test_a_layout_without_a_name_in_the_tool_has_its_sentence(layout: str, number: int) -> None:
    with pytest.raises(ConvertError) as raised:
        prepare(counted([4]), info(layout, (4,)), counted([4]), origin_layout="NCHW")
    assert raised.value.reason == f"The format({number}) does not support."


def test_a_dump_without_layout_is_compared_as_it_is() -> None:
    made = prepare(counted([2, 3]), info("", (2, 3)), counted([2, 3]), origin_layout="ND")
    assert made.mine.tolist() == made.golden.tolist()
    assert made.refused is None


def test_arrays_of_two_shapes_are_refused_in_the_words_of_the_tool() -> None:
    with pytest.raises(ConvertError) as raised:
        prepare_arrays(counted([2, 3]), counted([6]), operator="conv1")
    assert raised.value.reason.startswith(
        "[conv1] Due to the different shapes on the left and right,the left dump data(2, 3) can not be compared"
    )


def test_arrays_of_one_shape_stay_as_they_are() -> None:
    made = prepare_arrays(counted([2, 3]), counted([2, 3]))
    assert (made.shape, made.mine.tolist()) == ((2, 3), [0, 1, 2, 3, 4, 5])


def test_two_dumps_of_npus_are_compared_without_their_padding() -> None:
    mine, golden = np.ones((1, 1, 1, 2, 16), np.float16), np.ones((1, 1, 1, 2, 16), np.float16)
    mine[..., 3:] = 7
    described = info("NC1HWC0", (1, 1, 1, 2, 16), (1, 3, 1, 2))
    made = prepare_npu(mine, described, golden, described)
    assert made.mine.tolist() == made.golden.tolist() == [1.0] * 6
    assert made.mine.dtype == np.float32
    assert made.shape == (1, 1, 1, 2, 16)


def test_two_dumps_of_npus_with_other_original_shapes_are_refused() -> None:
    array = np.ones((1, 1, 1, 2, 16), np.float16)
    left, right = (info("NC1HWC0", (1, 1, 1, 2, 16), (1, size, 1, 2)) for size in (3, 4))
    with pytest.raises(ConvertError) as raised:
        prepare_npu(array, left, array, right, operator="conv1")
    assert raised.value.reason == "[conv1_TENSOR] Shape mismatch after restore: (6,) vs (8,)"
