"""Changing layouts: there and back, on tensors whose every value tells where it belongs."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.formats.convert import LAYOUTS, ConvertError, convert, tool_converts
from errorflow.formats.convert.additions import addition_converts
from errorflow.formats.convert.blocks import merged_groups, pack_weights

PLAIN = {"NCHW": (2, 5, 3, 4), "NHWC": (2, 3, 4, 5), "HWCN": (3, 4, 5, 2), "CHWN": (5, 3, 4, 2)}
DEPTH = {"NCDHW": (2, 5, 2, 3, 4), "NDHWC": (2, 2, 3, 4, 5), "DHWCN": (2, 3, 4, 5, 2), "DHWNC": (2, 3, 4, 2, 5)}
BLOCKS = ("NC1HWC0", "FRACTAL_Z", "C1HWNCoC0")
sizes = st.integers(1, 40)


def counted(*shape: int) -> NDArray[np.float32]:
    return np.arange(1, np.prod(shape, dtype=int) + 1, dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(("source", "target"), [*permutations(PLAIN, 2), *permutations(DEPTH, 2)])
def test_plain_layouts_are_transposed(source: str, target: str) -> None:
    shapes = PLAIN | DEPTH
    made = convert(counted(*shapes[source]), source, target)
    spelled = "".join(source).lower(), "".join(target).lower()
    assert np.array_equal(made, np.einsum(f"{spelled[0]}->{spelled[1]}", counted(*shapes[source])))


@pytest.mark.parametrize(("plain", "blocked"), list(product(PLAIN, BLOCKS)))
def test_blocks_and_back(plain: str, blocked: str) -> None:
    start = counted(*PLAIN[plain])
    stored = convert(start, plain, blocked)
    assert np.array_equal(convert(stored, blocked, plain, shape=start.shape), start)


@pytest.mark.parametrize(("plain", "blocked"), list(product(DEPTH, ("NDC1HWC0", "FRACTAL_Z_3D"))))
def test_blocks_with_depth_and_back(plain: str, blocked: str) -> None:
    start = counted(*DEPTH[plain])
    stored = convert(start, plain, blocked)
    assert np.array_equal(convert(stored, blocked, plain, shape=start.shape), start)


@pytest.mark.parametrize("blocked", ["NC1HWC0_C04", "FRACTAL_Z_C04"])
def test_blocks_of_four_channels_and_back(blocked: str) -> None:
    start = counted(20, 3, 5, 2)
    stored = convert(start, "NCHW", blocked)
    assert np.array_equal(convert(stored, blocked, "NCHW", shape=start.shape), start)


def test_blocks_of_four_channels_hold_no_fifth() -> None:
    with pytest.raises(ConvertError, match="at most four channels"):
        convert(counted(1, 5, 2, 2), "NCHW", "FRACTAL_Z_C04")


@given(n=sizes, c=sizes, h=st.integers(1, 3), w=st.integers(1, 3), c0=st.sampled_from([8, 16, 32]))
def test_channels_of_any_number_survive_blocks_of_any_size(n: int, c: int, h: int, w: int, c0: int) -> None:
    start = counted(n, c, h, w)
    stored = convert(start, "NCHW", "NC1HWC0", shape=(n, -(-c // c0), h, w, c0))
    assert stored.shape == (n, -(-c // c0), h, w, c0)
    assert np.array_equal(convert(stored, "NC1HWC0", "NCHW", shape=(n, c, h, w)), start)


@given(m=sizes, k=sizes, lead=st.lists(st.integers(1, 3), max_size=2), c0=st.sampled_from([8, 16, 32]))
def test_matrices_survive_fractals(m: int, k: int, lead: list[int], c0: int) -> None:
    start = counted(*lead, m, k)
    stored = convert(start, "ND", "FRACTAL_NZ", shape=(*lead, -(-k // c0), -(-m // 16), 16, c0))
    assert stored.shape == (*lead, -(-k // c0), -(-m // 16), 16, c0)
    assert np.array_equal(convert(stored, "FRACTAL_NZ", "ND", shape=start.shape).reshape(start.shape), start)


@given(n=st.integers(1, 20), c=st.integers(1, 20), groups=st.integers(1, 6), h=st.integers(1, 2), w=st.integers(1, 2))
def test_grouped_weights_survive_fractals(n: int, c: int, groups: int, h: int, w: int) -> None:
    start = counted(n * groups, c, h, w)
    stored = convert(start, "NCHW", "FRACTAL_Z", groups=groups)
    assert np.array_equal(convert(stored, "FRACTAL_Z", "NCHW", shape=start.shape, groups=groups), start)


def test_groups_share_blocks_as_long_as_that_saves_padding() -> None:
    assert merged_groups(c=4, n=4, groups=8, c0=16) == 4
    assert pack_weights(counted(32, 4, 1, 1), 8, 16).shape == (2, 1, 16, 16)


def test_each_group_lies_on_the_diagonal_of_its_block() -> None:
    stored = pack_weights(counted(4, 1, 1, 1), 4, 16)
    assert np.array_equal(stored[0, 0, :4, :4], np.diag([1, 2, 3, 4]))


def test_int8_comes_in_blocks_of_32_channels() -> None:
    assert convert(np.zeros((1, 40, 2, 2), np.int8), "NCHW", "NC1HWC0").shape == (1, 2, 2, 2, 32)


def test_weights_in_fractals_cannot_be_read_without_their_shape() -> None:
    with pytest.raises(ConvertError):
        convert(counted(9, 1, 16, 16), "FRACTAL_Z", "NCHW")


def test_the_same_layout_changes_nothing() -> None:
    start = counted(2, 3, 4, 5)
    assert convert(start, "NCHW", "NCHW") is start


def test_three_axes_are_no_nchw_but_nd() -> None:
    start = counted(3, 4, 5)
    assert convert(start, "NCHW", "ND") is start


@pytest.mark.parametrize(("source", "target"), [("NCHW", "YUV"), ("NCHW", "NCDHW"), ("BN_WEIGHT", "NCHW")])
def test_what_nobody_has_published_is_refused_with_a_way_out(source: str, target: str) -> None:
    with pytest.raises(ConvertError, match=f"how {source} becomes {target}") as raised:
        convert(counted(1, 2, 3, 4), source, target)
    assert f"convert_{source}_to_{target}.py" in raised.value.hint


def test_a_shape_that_does_not_fit_is_a_sentence() -> None:
    with pytest.raises(ConvertError, match="does not become"):
        convert(counted(7, 1, 16, 16), "FRACTAL_Z", "NCHW", shape=(16, 16, 3, 3))


@pytest.mark.parametrize(
    ("source", "target"),
    [pair for pair in permutations(LAYOUTS, 2) if tool_converts(*pair) or addition_converts(*pair)],
)
def test_only_what_can_be_done_is_promised(source: str, target: str) -> None:
    """Whatever the tensor looks like, a conversion works or says why not."""
    for shape in ((2, 3, 4, 5), (1, 2, 3, 4, 5), (2, 3, 2, 2, 2, 3), (4,), (), (0, 3, 2, 2)):
        for wanted in (None, (), (3,), (2, 3, 4, 5), (1, 2, 3, 4, 5)):
            try:
                made = convert(counted(*shape), source, target, shape=wanted)
            except ConvertError as error:
                assert error.message
            else:
                assert isinstance(made, np.ndarray)


def test_the_tool_has_no_grouped_weights_but_towards_fractals() -> None:
    assert tool_converts("NCHW", "FRACTAL_Z", 4)
    assert not tool_converts("FRACTAL_Z", "NCHW", 4)
    assert not tool_converts("NCHW", "HWCN")
