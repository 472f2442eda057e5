from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align_pictures import MEAN, NCHW, NORMAL, PICTURE, PIXELS, SIDE, STD, drawn
from errorflow.run.samples.resizing import RESIZES
from errorflow.study.align.explain import explain
from errorflow.study.align.model import Doubles

TOLERANCE = 1e-4
NHWC = PIXELS[np.newaxis]
WHOLE = np.rint(NHWC)
EXPLAINED = (
    ("BGR", NORMAL, NORMAL[:, ::-1], {"channels"}),
    ("NHWC", NORMAL, NORMAL.transpose(0, 2, 3, 1), {"layout"}),
    ("NHWC without a batch", NORMAL, NORMAL[0].transpose(1, 2, 0), {"layout"}),
    ("read as the other layout", NORMAL, NORMAL.reshape(1, SIDE, SIDE, 3).transpose(0, 3, 1, 2), {"layout"}),
    ("0…1", NCHW, NCHW / 255, {"scale"}),
    ("back to 0…255", NCHW / 255, NCHW, {"scale"}),
    ("−1…1", NCHW, NCHW / 127.5 - 1, {"scale"}),
    ("ImageNet", NCHW, NORMAL, {"mean"}),
    ("ImageNet from 0…1", NCHW / 255, NORMAL, {"mean"}),
    ("ImageNet taken out on the other side", NORMAL, NCHW, {"mean"}),
    ("a mean of its own", NHWC, (NHWC - [10, 20, 30]) / [50, 60, 70], {"mean"}),
    ("int8 offset", WHOLE.astype(np.uint8), (WHOLE - 128).astype(np.int8), {"offset"}),
    ("rounded", NHWC, WHOLE, {"rounding"}),
    ("rounded on the other side", WHOLE, NHWC, {"rounding"}),
    ("cut down", NHWC / 255, np.floor(NHWC) / 255, {"rounding"}),
    ("cut down and scaled", NHWC, np.floor(NHWC) / 255, {"scale", "rounding"}),
    ("(x − 128) / 128", NCHW, (NCHW - 128) / 128, {"scale"}),
    ("the negative", NCHW, 255 - NCHW, {"negative"}),
    ("two ways of taking out means", NORMAL, NCHW / 127.5 - 1, {"mean"}),
    ("the means of the other order", NORMAL, (NCHW / 255 - MEAN[::-1, None, None]) / STD[::-1, None, None], {"mean"}),
    ("bytes taken for signed ones", WHOLE.astype(np.uint8), WHOLE.astype(np.uint8).view(np.int8), {"codes"}),
    ("grey in another layout", NCHW[:, :1], NCHW[:, :1].transpose(0, 2, 3, 1), {"shape"}),
    ("half precision", NORMAL, NORMAL.astype(np.float16), {"precision"}),
    ("half precision, scaled", NCHW, (NCHW / 255).astype(np.float16), {"scale", "precision"}),
    ("half precision, BGR", NORMAL, NORMAL[:, ::-1].astype(np.float16), {"channels", "precision"}),
    ("single precision of large values", NORMAL, NORMAL.astype(np.float32) * np.float32(4000), {"mean"}),
    ("mirrored", NORMAL, NORMAL[..., ::-1], {"mirrored"}),
    ("upside down", NORMAL, NORMAL[:, :, ::-1], {"mirrored"}),
    ("rows and columns swapped", NORMAL, NORMAL.swapaxes(2, 3), {"turned"}),
    ("all at once", NHWC, (PIXELS[..., ::-1] / 255).transpose(2, 0, 1)[None], {"layout", "channels", "scale"}),
)


@pytest.mark.parametrize(("a", "b", "keys"), [case[1:] for case in EXPLAINED], ids=[case[0] for case in EXPLAINED])
def test_what_was_done_to_a_picture_is_named_and_nothing_else(a: Doubles, b: Doubles, keys: set[str]) -> None:
    cause = explain(a, b, TOLERANCE, "input")
    assert cause is not None and cause.whole
    assert set(cause.keys) == keys
    assert cause.explains == pytest.approx(1)


def test_rounding_that_differs_now_and_then_is_off_by_one() -> None:
    apart = np.random.default_rng(0).random(WHOLE.shape) < 0.1
    cause = explain(WHOLE, WHOLE + apart, TOLERANCE, "input")
    assert cause is not None and cause.keys == ("rounding",)
    assert "off by one" in cause.text and "10 %" in cause.text


def test_codes_of_an_int8_input_are_named_by_scale_and_rounding() -> None:
    codes = np.clip(np.rint(NORMAL / 0.02) - 3, -128, 127).astype(np.int8)
    inside = np.clip(NORMAL, (-128 + 3) * 0.02, (127 + 3) * 0.02)
    cause = explain(inside, codes, TOLERANCE, "input")
    assert cause is not None and cause.whole and cause.keys == ("codes", "rounding")
    assert "the scale 0.02 and the zero point −3" in cause.text


def test_codes_that_are_cut_off_at_their_ends_are_named_all_the_same() -> None:
    codes = np.clip(np.rint(NORMAL / 0.015), -128, 127).astype(np.int8)
    assert (np.abs(NORMAL / 0.015) > 130).mean() > 0.001
    cause = explain(NORMAL, codes, TOLERANCE, "input")
    assert cause is not None and cause.whole and cause.keys == ("codes", "rounding")
    assert "the scale 0.015 and the zero point 0" in cause.text and "cut off at the ends" in cause.text


@pytest.mark.parametrize("bend", [lambda x: x**2.2, lambda x: np.exp(3 * x), lambda x: np.clip(x * 1.5, 0, 1)])
def test_what_is_bent_is_not_explained_by_a_line(bend: Callable[[Doubles], Doubles]) -> None:
    assert explain(NCHW / 255, bend(NCHW / 255), TOLERANCE, "input") is None


def test_pictures_of_a_batch_in_another_order_are_not_told_as_resized() -> None:
    batch = np.stack([drawn(SIDE, SIDE, seed).astype(np.float64) for seed in range(3)])
    assert explain(batch, batch[[1, 2, 0]], TOLERANCE, "input") is None


@pytest.mark.parametrize("row", RESIZES[1:], ids=lambda row: row.key)
def test_another_way_to_resize_is_told_as_such(row: object) -> None:
    from PIL import Image

    made = row.resize(Image.fromarray(PICTURE), SIDE, SIDE)[np.newaxis]  # type: ignore[attr-defined]  # a Resize
    cause = explain(NHWC, made, TOLERANCE, "input")
    assert cause is not None and not cause.whole and cause.keys == ("resize",)


def test_a_border_is_counted() -> None:
    inner = PIXELS[12:-12]
    boxed = np.full_like(NHWC, 114.0)
    boxed[0, 12:-12] = inner
    cause = explain(NHWC, boxed, TOLERANCE, "input")
    assert cause is not None and "12 rows above, 12 rows below" in cause.text


def test_channel_order_and_scale_are_told_behind_another_way_to_resize() -> None:
    from PIL import Image

    made = RESIZES[2].resize(Image.fromarray(PICTURE), SIDE, SIDE)[np.newaxis, ..., ::-1] / 255
    cause = explain(NHWC, made, TOLERANCE, "input")
    assert cause is not None and set(cause.keys) == {"channels", "scale", "resize"}


@pytest.mark.parametrize(("down", "right"), [(1, 0), (0, 2), (2, 1)])
def test_a_picture_moved_by_whole_pixels_is_told_by_how_many(down: int, right: int) -> None:
    large = drawn(SIDE + 4, SIDE + 4).astype(np.float64)[np.newaxis]
    a, b = large[:, down : SIDE + down, right : SIDE + right], large[:, :SIDE, :SIDE]
    cause = explain(a, b, TOLERANCE, "input")
    assert cause is not None and "moved" in cause.text
    for number in filter(None, (down, right)):
        assert f"{number} pixel" in cause.text


def test_what_has_nothing_in_common_is_not_explained() -> None:
    assert explain(NORMAL, np.random.default_rng(0).normal(size=NORMAL.shape), TOLERANCE, "input") is None


def test_noise_is_not_explained() -> None:
    logits = np.random.default_rng(1).normal(size=(1, 1000))
    assert explain(logits, logits + np.random.default_rng(2).normal(size=(1, 1000)) * 0.05, 1e-3, "output") is None


LOGITS = np.random.default_rng(1).normal(size=(1, 200)) * 3
BOXES = np.abs(np.random.default_rng(2).normal(size=(60, 6))) * 100


def _corners(boxes: Doubles) -> Doubles:
    found = boxes.copy()
    found[:, :2], found[:, 2:4] = boxes[:, :2] - boxes[:, 2:4] / 2, boxes[:, :2] + boxes[:, 2:4] / 2
    return found


OUTPUTS = (
    ("softmax", LOGITS, np.exp(LOGITS) / np.exp(LOGITS).sum(), "activation"),
    ("sigmoid", LOGITS, 1 / (1 + np.exp(-LOGITS)), "activation"),
    ("sigmoid left out", 1 / (1 + np.exp(-LOGITS)), LOGITS, "activation"),
    ("corners", BOXES, _corners(BOXES), "boxes"),
    ("middles", _corners(BOXES), BOXES, "boxes"),
    ("x and y swapped", BOXES, BOXES[:, [1, 0, 3, 2, 4, 5]], "boxes"),
    ("rows in another order", BOXES, BOXES[::-1], "order"),
    ("labels from one on", np.arange(40) % 17, np.arange(40) % 17 + 1, "offset"),
)


@pytest.mark.parametrize(("a", "b", "key"), [case[1:] for case in OUTPUTS], ids=[case[0] for case in OUTPUTS])
def test_what_was_done_to_an_answer_is_named(a: Doubles, b: Doubles, key: str) -> None:
    cause = explain(a, b, 1e-3, "result")
    assert cause is not None and cause.whole and cause.keys == (key,)


def test_arrays_without_values_and_with_nan_are_not_explained() -> None:
    assert explain(np.zeros((0, 3)), np.zeros((3, 0)), TOLERANCE, "input") is None
    assert explain(NCHW, np.full_like(NCHW, np.nan), TOLERANCE, "input") is None


@settings(max_examples=12)
@given(st.floats(0.01, 50), st.floats(-100, 100), st.permutations(range(3)))
def test_any_scale_offset_and_order_of_channels_is_found_again(scale: float, offset: float, order: list[int]) -> None:
    small = NCHW[:, :, ::8, ::8]
    cause = explain(small, small[:, order] * scale + offset, 1e-4 * max(1.0, scale), "input")
    if cause is None:
        assert scale == pytest.approx(1, abs=1e-6) and abs(offset) < 1e-3 and order == [0, 1, 2]
    else:
        assert cause.whole and ("channels" in cause.keys) == (order != [0, 1, 2])
