"""Ways in which the same pixels may have other numbers: 0…255 or 0…1, mean and deviation, an offset of codes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from errorflow.align.model import Doubles

Numbers = tuple[float, ...]
_IMAGENET: tuple[Numbers, Numbers] = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_CLIP: tuple[Numbers, Numbers] = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
# In the order blue, green, red.
_CAFFE: Numbers = (103.939, 116.779, 123.68)
_CAFFE_ROUND: Numbers = (104.0, 117.0, 123.0)
# A map counts as the simple one that it is close to, where that leaves hardly more of the difference.
_CLOSE = 1.1
_FEW = 16
# The cost of what nobody knows.
FITTED = 3


@dataclass(frozen=True, slots=True)
class Scaling:
    """b = a · scale + offset, of each channel or of all; `key` is "" where nothing has to be done."""

    key: str
    text: str
    scale: tuple[float, ...] = (1.0,)
    offset: tuple[float, ...] = (0.0,)
    cost: int = 0

    def of(self, rows: Doubles) -> Doubles:
        """`rows`: channels × values."""
        found: Doubles = rows * np.array(self.scale)[:, None] + np.array(self.offset)[:, None]
        return found

    @property
    def back(self) -> "Scaling":
        scale = tuple(1 / each for each in self.scale)
        offset = tuple(-move / each for move, each in zip(self.offset, self.scale, strict=True))
        return replace(self, scale=scale, offset=offset)


SAME = Scaling("", "")


def _normal(name: str, mean: Numbers, std: Numbers, most: float) -> Scaling:
    scale = tuple(1 / (each * most) for each in std)
    offset = tuple(-middle / each for middle, each in zip(mean, std, strict=True))
    whole = "0…255" if most != 1 else "0…1"
    return Scaling("mean", f"{{}} is {whole}, and {{}} has mean and deviation of {name} taken out", scale, offset, 2)


_OF_ALL = (
    Scaling("scale", "{} is 0…255 and {} is 0…1", (1 / 255,), (0.0,), 1),
    Scaling("offset", "{} has codes from 0 on, and {} codes around 0: an offset of 128", (1.0,), (-128.0,), 1),
    Scaling("scale", "{} is 0…255 and {} is −1…1", (1 / 127.5,), (-1.0,), 1),
    Scaling("scale", "{} is 0…255 and {} is (x − 127.5) / 128", (1 / 128,), (-127.5 / 128,), 1),
    Scaling("scale", "{} is 0…1 and {} is −1…1", (2.0,), (-1.0,), 1),
    Scaling("scale", "{} is 0…256 and {} is 0…1", (1 / 256,), (0.0,), 1),
    Scaling("offset", "{} counts from 0 and {} from 1", (1.0,), (1.0,), 1),
)


def _less(mean: Numbers) -> Scaling:
    told = ", ".join(f"{each:g}" for each in mean)
    text = f"{{}} is as it was, and {{}} has the mean {told} taken out"
    return Scaling("mean", text, (1.0,) * len(mean), tuple(-each for each in mean), 2)


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


def known(channels: int) -> Iterator[Scaling]:
    """Those that pipelines are known for, from A to B and back."""
    for way in (*_OF_ALL, *(_OF_COLOURS if channels == 3 else ())):
        yield replace(way, text=way.text.format("A", "B"))
        yield replace(way.back, text=way.text.format("B", "A"))


def scaling_of(a: Doubles, b: Doubles, tolerance: float) -> tuple[Scaling, float]:
    """The simplest way from A's channels to B's that leaves about the least, and the power that it leaves."""
    own = power(b - a)
    best, left = SAME, own
    if a.shape[1] < _FEW or a.shape != b.shape:
        return best, left
    fitted = [fit for fit in (_fitted(a, b, False), _fitted(a, b, len(a) > 1)) if fit is not None]
    least = min([own, *(power(b - fit.of(a)) for fit in fitted)])
    enough = max(least * _CLOSE, tolerance * tolerance * a.size / 4)
    if own <= enough:
        return best, left
    for way in (*known(len(a)), *fitted):
        rest = power(b - way.of(a))
        if rest <= enough:
            return way, rest
    return best, left


def _fitted(a: Doubles, b: Doubles, apart: bool) -> Scaling | None:
    """By least squares, for each channel or for all together."""
    one, other = (a, b) if apart else (a.reshape(1, -1), b.reshape(1, -1))
    middle, target = one.mean(1, keepdims=True), other.mean(1, keepdims=True)
    spread = np.square(one - middle).sum(1)
    if not (spread > 0).all():
        return None
    scale = ((one - middle) * (other - target)).sum(1) / spread
    if not np.isfinite(scale).all() or (np.abs(scale) < 1e-12).any():
        return None
    offset = target[:, 0] - scale * middle[:, 0]
    return Scaling("mean", _told(scale, offset), tuple(scale.tolist()), tuple(offset.tolist()), FITTED)


def as_codes(a: Doubles, b: Doubles, fitted: Scaling) -> Scaling | None:
    """B as codes of A with a whole zero point, near to what was fitted; None: nothing of that kind was."""
    if len(fitted.offset) != 1:
        return None
    zero = float(np.rint(fitted.offset[0]))
    own = float(np.square(a).sum())
    scale = float((a * (b - zero)).sum()) / own if own else 0.0
    if scale <= 0:
        return None
    text = f"B holds codes of A, with the scale {1 / scale:.4g} and the zero point {zero:.0f}".replace("-", "−")
    return Scaling("codes", text, (scale,), (zero,), FITTED)


def _told(scale: Doubles, offset: Doubles) -> str:
    if len(scale) == 1:
        return f"B is A · {scale[0]:.6g} {'+' if offset[0] >= 0 else '−'} {abs(offset[0]):.6g}"
    mean, std = (", ".join(f"{each:.5g}" for each in values) for values in (-offset / scale, 1 / scale))
    return f"B is (A − mean) / deviation, with the means {mean} and the deviations {std} of the channels"


def power(values: Doubles) -> float:
    return float(np.square(values).sum())
