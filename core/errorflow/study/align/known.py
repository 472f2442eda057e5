"""Numbers that pictures, sounds and labels are usually given as, and the ways between them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations

import numpy as np

from errorflow.study.align.scaling import FITTED, Scaling

Numbers = tuple[float, ...]
_IMAGENET: tuple[Numbers, Numbers] = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_CLIP: tuple[Numbers, Numbers] = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
_MNIST: tuple[Numbers, Numbers] = (0.1307,), (0.3081,)
# In the order blue, green, red.
_CAFFE: Numbers = (103.939, 116.779, 123.68)
_CAFFE_ROUND: Numbers = (104.0, 117.0, 123.0)
_BYTES, _SHARES, _EVEN = (0.0, 255.0), (0.0, 1.0), (-1.0, 1.0)
_COLOURS = 3
_FOR_THE_OTHER = "one side takes the mean and deviation of red for blue, and those of blue for red"


def _normal(name: str, mean: Numbers, std: Numbers, most: float) -> Scaling:
    scale = tuple(1 / (each * most) for each in std)
    offset = tuple(-middle / each for middle, each in zip(mean, std, strict=True))
    whole, between = ("0…255", _BYTES) if most != 1 else ("0…1", _SHARES)
    text = f"{{}} is {whole}, and {{}} has mean and deviation of {name} taken out"
    return Scaling("mean", text, scale, offset, 2, between)


_OF_ALL = (
    Scaling("scale", "{} is 0…255 and {} is 0…1", (1 / 255,), (0.0,), 1, _BYTES, _SHARES),
    Scaling("offset", "{} has codes from 0 on, and {} codes around 0: an offset of 128", (1.0,), (-128.0,), 1),
    Scaling("scale", "{} is 0…255 and {} is −1…1", (1 / 127.5,), (-1.0,), 1, _BYTES, _EVEN),
    Scaling("scale", "{} is 0…255 and {} is (x − 127.5) / 128", (1 / 128,), (-127.5 / 128,), 1, _BYTES, _EVEN),
    Scaling("scale", "{} is 0…255 and {} is (x − 128) / 128", (1 / 128,), (-1.0,), 1, _BYTES, _EVEN),
    Scaling("scale", "{} is 0…1 and {} is −1…1", (2.0,), (-1.0,), 1, _SHARES, _EVEN),
    Scaling("scale", "{} is 0…255 and {} is that divided by 256", (1 / 256,), (0.0,), 1, _BYTES, _SHARES),
    Scaling("scale", "{} is sound of 16 bits and {} is −1…1", (1 / 32768,), (0.0,), 1, (-32768.0, 32768.0), _EVEN),
    Scaling("offset", "{} counts from 0 and {} from 1", (1.0,), (1.0,), 1),
    Scaling("negative", "{} is the negative of {}: 255 − x", (-1.0,), (255.0,), 1, _BYTES, _BYTES),
    Scaling("negative", "{} is the negative of {}: 1 − x", (-1.0,), (1.0,), 1, _SHARES, _SHARES),
)


def _less(mean: Numbers) -> Scaling:
    told = ", ".join(f"{each:g}" for each in mean)
    text = f"{{}} is as it was, and {{}} has the mean {told} taken out"
    return Scaling("mean", text, (1.0,) * len(mean), tuple(-each for each in mean), 2)


_OF_GREY = tuple(_normal("MNIST", *_MNIST, most) for most in (1.0, 255.0))
_OF_COLOURS = (
    *(
        _normal(name, mean[order], std[order], most)
        for name, mean, std in (("ImageNet", *_IMAGENET), ("CLIP", *_CLIP))
        for order in (slice(None), slice(None, None, -1))
        for most in (1.0, 255.0)
    ),
    *(
        _less(mean[order])
        for mean in (_CAFFE, _CAFFE_ROUND, tuple(255 * each for each in _IMAGENET[0]), _IMAGENET[0])
        for order in (slice(None), slice(None, None, -1))
    ),
)


@dataclass(frozen=True, slots=True)
class _Form:
    """What becomes of a pixel x of 0…255: x · scale + offset."""

    text: str
    scale: Numbers
    offset: Numbers


def _form(text: str, mean: Numbers, std: Numbers, most: float = 255.0) -> _Form:
    offset = tuple(-middle / each for middle, each in zip(mean, std, strict=True))
    return _Form(text, tuple(1 / (each * most) for each in std), offset)


_FORMS = (
    _Form("is −1…1", (1 / 127.5,) * 3, (-1.0,) * 3),
    _Form("is (x − 127.5) / 128", (1 / 128,) * 3, (-127.5 / 128,) * 3),
    _form("has mean and deviation of ImageNet taken out", *_IMAGENET),
    _form("has mean and deviation of ImageNet taken out without being divided by 255 before", *_IMAGENET, 1.0),
    _form("has mean and deviation of CLIP taken out", *_CLIP),
    _Form("has the mean of ImageNet taken out of 0…255", (1.0,) * 3, tuple(-each for each in reversed(_CAFFE))),
)


def _between_forms() -> Iterator[Scaling]:
    """From one way of taking out means to another one, the channels in either order."""
    for one, other in permutations(_FORMS, 2):
        for order in (slice(None), slice(None, None, -1)):
            yield _from(one, other, order, order, f"A {one.text}, and B {other.text}")
    for form in _FORMS[2:]:
        for order in (slice(None), slice(None, None, -1)):
            back = slice(None, None, -1 if order.step is None else None)
            yield _from(form, form, order, back, _FOR_THE_OTHER)


def _from(one: _Form, other: _Form, order: slice, then: slice, text: str) -> Scaling:
    before, after = (np.array((form.scale[way], form.offset[way])) for form, way in ((one, order), (other, then)))
    scale = after[0] / before[0]
    offset = after[1] - before[1] * scale
    return Scaling("mean", text, tuple(scale.tolist()), tuple(offset.tolist()), FITTED)


@cache
def known(channels: int) -> tuple[Scaling, ...]:
    """Those that pipelines are known for, from A to B and back, the simple ones first."""
    more = _OF_COLOURS if channels == _COLOURS else _OF_GREY if channels == 1 else ()
    found = []
    for way in (*_OF_ALL, *more):
        found += [replace(way, text=way.text.format("A", "B")), replace(way.back, text=way.text.format("B", "A"))]
    return (*found, *(_between_forms() if channels == _COLOURS else ()))
