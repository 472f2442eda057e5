"""Tries what usually goes wrong between two pipelines, and names what explains their difference.

Simple things come first: the one that is named is the simplest of those that leave about the least of the difference.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.study.align.geometry import STAY, Move, as_rows, channel_axis, layouts, mirrors, orders, wraps
from errorflow.study.align.model import Cause, Doubles, Stage
from errorflow.study.align.placing import Placing, placing_of
from errorflow.study.align.rounding import Rounding, rounding_of
from errorflow.study.align.scaling import FITTED, SAME, Scaling, as_codes, power, scaling_of

# Elements of a channel that are looked at while ways are tried; what is found is checked on all.
_SOME = 20_000
# What explains less of the difference is chance.
_WORTH = 0.5
# A simpler way is named that leaves so much more than the best.
_MORE = 1.2
# The same where rounding is all that is left: it bends what is fitted.
_NEAR = 30.0
# And where pixels sit a little elsewhere.
_BENT = 3.0
# From here on what was fitted is meant.
_SURE = 0.97
# And from here on it is told though something else is left: a line through what is bent leaves more.
_TOLD = 0.998
# Of the largest value, what single precision may be off by.
_SINGLE = 2.0**-22


@dataclass(frozen=True, eq=False)
class _Tried:
    """One way from A to B."""

    moves: tuple[Move, ...]
    scaling: Scaling
    left: float

    @property
    def cost(self) -> int:
        return sum(move.cost for move in self.moves) + self.scaling.cost

    @property
    def steps(self) -> tuple[Move | Scaling, ...]:
        """Steps of the way."""
        every: tuple[Move | Scaling, ...] = (*self.moves, self.scaling)
        return tuple(each for each in every if each.key)

    def of(self, a: Doubles) -> Doubles:
        """A's array as B would have it."""
        for move in self.moves:
            a = move.apply(a)
        axis = _axis(a.shape)
        scaled = self.scaling.of(as_rows(a, axis))
        if axis is None:
            return scaled.reshape(a.shape)
        rest = tuple(size for place, size in enumerate(a.shape) if place != axis)
        return np.moveaxis(scaled.reshape(a.shape[axis], *rest), 0, axis)


def explain(
    a: NDArray[np.generic], b: NDArray[np.generic], tolerance: float, stage: Stage, progress: Progress = SILENT
) -> Cause | None:
    """Explains why B is not what A is; None: nothing that was tried says."""
    one, other = (values.astype(np.float64) for values in (a, b))
    if not one.size or not other.size or not np.isfinite(other).all():
        return None
    with np.errstate(all="ignore"):
        tried = list(_tries(one, other, tolerance, stage, progress))
        if not tried:
            return None
        enough = max(min(each.left for each in tried) * _MORE, tolerance * tolerance * min(other.size, _SOME) / 16)
        best = min((each for each in tried if each.left <= enough), key=lambda each: each.cost)
        return _cause(best, one, other, tolerance, stage)


def _tries(a: Doubles, b: Doubles, tolerance: float, stage: Stage, progress: Progress) -> Iterator[_Tried]:
    ways = [*_ways(a.shape, b.shape, stage), *_wrapped(a, b)]
    for number, moves in enumerate(ways):
        progress.step(number, len(ways), "Trying what explains the difference")
        moved = a
        for move in moves:
            moved = move.apply(moved)
        if moved.shape != b.shape or not np.isfinite(moved).all():
            continue
        goal = in_order(b) if any(move.key == "order" for move in moves) else b
        axis = _axis(b.shape)
        one, other = (_some(as_rows(values, axis)) for values in (moved, goal))
        scaling, left = scaling_of(one, other, tolerance, known(len(one)))
        yield _Tried(moves, scaling, left)


def in_order(values: Doubles) -> Doubles:
    """Orders rows as a way that sorts them leaves them."""
    return next(move for move in forms(values.shape) if move.key == "order").apply(values)


def _ways(a: tuple[int, ...], b: tuple[int, ...], stage: Stage) -> Iterator[tuple[Move, ...]]:
    for layout in layouts(a, b):
        for order in orders(b):
            for mirror in mirrors(b):
                yield tuple(move for move in (layout, order, mirror) if move.key or move is layout)
    if stage != "input":
        yield from ((form,) for form in forms(a) if form.key)


def _wrapped(a: Doubles, b: Doubles) -> Iterator[tuple[Move, ...]]:
    for wrap in wraps(a, b):
        for layout in layouts(a.shape, b.shape):
            for order in orders(b.shape):
                yield layout, order, wrap


def _cause(best: _Tried, a: Doubles, b: Doubles, tolerance: float, stage: Stage) -> Cause | None:
    goal = in_order(b) if any(move.key == "order" for move in best.moves) else b
    before = power(b - a) if a.shape == b.shape else power(b - b.mean())
    rounding = None
    left = goal - best.of(a)
    whole = float(np.abs(left).max()) <= max(tolerance, _SINGLE * float(np.abs(goal).max()))
    if not whole:
        best, rounding = _rounded(best, a, goal)
        left = goal - best.of(a)
    texts, keys = [each.text for each in best.steps], [each.key for each in best.steps]
    explains = 1 - power(left) / before if before else 1.0
    worth = whole or (explains >= _WORTH and power(left) <= _WORTH * _spread(goal))
    if rounding is not None:
        texts.append(rounding.told)
        keys.append(rounding.key)
        worth, whole, explains = True, True, 1.0
    elif not whole and stage == "input":
        elsewhere = _elsewhere(best, a, goal, tolerance)
        if elsewhere is not None:
            return elsewhere
    is_bent = best.scaling.cost == FITTED and power(left) > (1 - _TOLD) * _spread(goal)
    if not worth or not texts or (is_bent and not whole):
        return None
    remains = float(np.abs(left).max())
    return Cause(tuple(keys), tuple(texts), max(0.0, min(1.0, explains)), whole, remains)


def _elsewhere(best: _Tried, a: Doubles, b: Doubles, tolerance: float) -> Cause | None:
    """Explains pictures whose pixels sit elsewhere: what is fitted pixel by pixel is bent then, colours are not."""
    fits = power(b - best.of(a)) <= (1 - _SURE) * _spread(b)
    looks = None if fits else looks_of(a, b)
    if looks is not None:
        best = _Tried(looks.moves, looks.scaling, best.left)
    elif best.scaling.cost == FITTED:
        best = _plainer(best, a, b) if fits else replace(best, scaling=SAME)
    moved = best.of(a)
    if moved.shape != b.shape:
        return None
    before, left = power(b - a) if a.shape == b.shape else power(b - b.mean()), b - moved
    placing = _placed(moved, b)
    if placing is None and looks is not None and not np.abs(left).max() <= tolerance:
        placing = Placing("both have the same colours in other places: cut out or resized in another way", 0.0)
    if placing is None:
        return None
    explains = 1 - power(left) / before if before else 0.0
    explains = max(0.0, min(1.0, explains + (1 - explains) * placing.explains))
    steps = best.steps
    keys, texts = (*(step.key for step in steps), "resize"), (*(step.text for step in steps), placing.text)
    return Cause(keys, texts, explains, False, float(np.abs(left).max()))


def _plainer(best: _Tried, a: Doubles, b: Doubles) -> _Tried:
    """Prefers a scale that an engineer would choose, if there is one about as good."""
    axis = _axis(b.shape)
    moved, goal = _some(as_rows(replace(best, scaling=SAME).of(a), axis)), _some(as_rows(b, axis))
    near = (scaling for scaling in (SAME, *known(len(goal))) if power(goal - scaling.of(moved)) <= _BENT * best.left)
    return replace(best, scaling=next(near, best.scaling))


def _rounded(best: _Tried, a: Doubles, b: Doubles) -> tuple[_Tried, Rounding | None]:
    """Rounding bends what is fitted: a simple way that leaves nothing but rounding is the right one."""
    axis = _axis(b.shape)
    goal = as_rows(b, axis)
    some = _some(goal)
    moved = as_rows(replace(best, scaling=SAME).of(a), axis)
    near = _NEAR * max(best.left, 1e-300)
    fitted = [] if best.scaling.cost != FITTED else [as_codes(_some(moved), some)]
    for scaling in (SAME, *known(len(goal)), *filter(None, fitted), best.scaling):
        if scaling is not best.scaling and power(some - scaling.of(_some(moved))) > near:
            continue
        found = rounding_of(scaling.of(moved), goal)
        if found is not None:
            return replace(best, scaling=scaling), found
    return best, None


def _placed(moved: Doubles, b: Doubles) -> Placing | None:
    axis = _axis(b.shape)
    if b.ndim < 3 and axis is None:
        return None
    return placing_of(*(values if axis is None else np.moveaxis(values, axis, 0) for values in (moved, b)))


def _spread(values: Doubles) -> float:
    """Measures what is left if all that is known of each channel is its middle."""
    rows = as_rows(values, _axis(values.shape))
    return power(rows - rows.mean(1, keepdims=True))


def _axis(shape: tuple[int, ...]) -> int | None:
    return channel_axis(shape)


def _some(rows: Doubles) -> Doubles:
    return rows[:, :: max(1, rows.shape[1] // _SOME)]


# Pictures that sit elsewhere still have the same colours: channel order and scale by how values are spread.

# Of each channel; the rim is left out, where borders and single pixels count.
_QUANTILES = np.linspace(0.05, 0.95, 37)
# Of what values differ in, what may be left where both are one picture.
_LEFT = 0.02
# A simpler way is named that leaves so much more, or hardly anything.
_LOOKS_MORE, _NOTHING = 1.5, 0.002

_WITH_BATCH, _BATCH = 4, 16
# What so many pixels have is a border's.
_BORDER = 0.08


@dataclass(frozen=True, slots=True)
class Looks:
    """Colours of A brought to those of B; `left` is the share of what values differ in that remains."""

    moves: tuple[Move, ...]
    scaling: Scaling
    left: float


def looks_of(a: Doubles, b: Doubles) -> Looks | None:
    """Compares the looks; None: they are not one picture, as far as colours tell."""
    axis = channel_axis(b.shape)
    if axis is None:
        return None
    goal = _quantiles(as_rows(b, axis), _pictures(b))
    size = power(goal - goal.mean())
    if not size:
        return None
    found = [Looks(moves, scaling, left / size) for moves, scaling, left in _looks_tries(a, b, goal, axis)]
    if not found:
        return None
    least = min(each.left for each in found)
    enough = max(least * _LOOKS_MORE, min(least + _NOTHING, _LEFT))
    best = min((each for each in found if each.left <= enough), key=_cost)
    return best if best.left <= _LEFT else None


def _cost(looks: Looks) -> int:
    return sum(move.cost for move in looks.moves) + looks.scaling.cost


def _looks_tries(a: Doubles, b: Doubles, goal: Doubles, axis: int) -> Iterator[tuple[tuple[Move, ...], Scaling, float]]:
    for layout in layouts(a.shape, b.shape):
        if layout.cost > 1:
            continue
        moved = layout.apply(a)
        for order in orders(b.shape):
            looks = _quantiles(as_rows(order.apply(moved), axis), _pictures(b))
            for scaling in (SAME, *known(len(goal))):
                yield (layout, order), scaling, power(goal - scaling.of(looks))


def _pictures(values: Doubles) -> int:
    """Chooses how many of a batch are looked at one by one: each is to have its own colours."""
    return len(values) if values.ndim == _WITH_BATCH and len(values) <= _BATCH else 1


def _quantiles(rows: Doubles, pictures: int) -> Doubles:
    """Channels × quantiles of each picture."""
    return np.array(
        [
            [np.quantile(_inside(part, _SOME // pictures), _QUANTILES) for part in row.reshape(pictures, -1)]
            for row in rows
        ]
    ).reshape(len(rows), -1)


def _inside(row: Doubles, most_of_all: int) -> Doubles:
    """Leaves out the value that a border has, if there is one."""
    some = row[:: max(1, len(row) // most_of_all)]
    values, counts = np.unique(some, return_counts=True)
    most = int(np.argmax(counts))
    is_border = len(values) > 1 and counts[most] >= _BORDER * len(some)
    return some[some != values[most]] if is_border else some


# Corners or sizes of a box.
_BOX = 4


def forms(a: tuple[int, ...]) -> Iterator[Move]:
    """Yields what may have been done to an output."""
    yield STAY
    yield Move("activation", "B is the sigmoid of A", _sigmoid, 1)
    if a and a[-1] > 1:
        yield Move("activation", "B is the softmax of A over the last axis", lambda values: _softmax(values, -1), 1)
    if len(a) > 2 and a[1] > 1:
        yield Move("activation", "B is the softmax of A over the channels", lambda values: _softmax(values, 1), 1)
    yield Move("activation", "A is the sigmoid of B", _logit, 2)
    yield Move("activation", "A is the exponential of B", _log, 2)
    yield Move("activation", "B is the exponential of A", _exp, 2)
    if len(a) >= 2 and a[-1] >= _BOX:
        yield from _boxes()
    if len(a) >= 2 and a[-2] > 1:
        yield Move("order", "the same rows in another order", _sorted, 3)


def _boxes() -> Iterator[Move]:
    yield Move("boxes", "A gives middle and size of boxes, B their corners", _corners, 1)
    yield Move("boxes", "A gives corners of boxes, B their middle and size", _middles, 1)
    yield Move("boxes", "A gives a corner and the size of boxes, B both corners", _both_corners, 1)
    yield Move("boxes", "A gives both corners of boxes, B one and the size", _one_corner, 1)
    yield Move("boxes", "x and y of the boxes are swapped", lambda values: values[..., _SWAPPED(values)], 1)


def _SWAPPED(values: Doubles) -> list[int]:  # noqa: N802 - it stands for an index
    return [1, 0, 3, 2, *range(_BOX, values.shape[-1])]


def _with(values: Doubles, *columns: Doubles) -> Doubles:
    found = values.copy()
    for place, column in enumerate(columns):
        found[..., place] = column
    return found


def _corners(values: Doubles) -> Doubles:
    x, y, wide, tall = (values[..., place] for place in range(_BOX))
    return _with(values, x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2)


def _middles(values: Doubles) -> Doubles:
    left, top, right, bottom = (values[..., place] for place in range(_BOX))
    return _with(values, (left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def _both_corners(values: Doubles) -> Doubles:
    left, top, wide, tall = (values[..., place] for place in range(_BOX))
    return _with(values, left, top, left + wide, top + tall)


def _one_corner(values: Doubles) -> Doubles:
    left, top, right, bottom = (values[..., place] for place in range(_BOX))
    return _with(values, left, top, right - left, bottom - top)


def _sigmoid(values: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-values))
    return found


def _logit(values: Doubles) -> Doubles:
    found: Doubles = np.log(values / (1 - values))
    return found


def _log(values: Doubles) -> Doubles:
    found: Doubles = np.log(values)
    return found


def _exp(values: Doubles) -> Doubles:
    found: Doubles = np.exp(values)
    return found


def _softmax(values: Doubles, axis: int) -> Doubles:
    raised = np.exp(values - values.max(axis=axis, keepdims=True))
    found: Doubles = raised / raised.sum(axis=axis, keepdims=True)
    return found


def _sorted(values: Doubles) -> Doubles:
    """Rows of the last axis in one order, whatever it was; that of the other side is brought in the same one."""
    rows = values.reshape(-1, values.shape[-1])
    return rows[np.lexsort(rows.T[::-1])].reshape(values.shape)


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
    """Form of a pixel x of 0…255: x · scale + offset."""

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
    """Yields ways from one way of taking out means to another one, the channels in either order."""
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
    """Lists the ways that pipelines are known for, from A to B and back, the simple ones first."""
    more = _OF_COLOURS if channels == _COLOURS else _OF_GREY if channels == 1 else ()
    found = []
    for way in (*_OF_ALL, *more):
        found += [replace(way, text=way.text.format("A", "B")), replace(way.back, text=way.text.format("B", "A"))]
    return (*found, *(_between_forms() if channels == _COLOURS else ()))
