"""Brings what files hold to what the model wants, and says what cannot be meant."""

from collections.abc import Mapping, Sequence

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass, field
from errorflow.graph.model import Dim
from errorflow.run.inputs import fits, fitting
from errorflow.run.model import Array, ModelInput
from errorflow.run.samples.model import SampleSource, digest_of

_TO_NCHW, _TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


@dataclass(frozen=True)
class Fitted:
    """Samples: what a source holds, checked and brought to the model's types when it is read."""

    source: SampleSource
    wanted: tuple[ModelInput, ...]
    notes: tuple[str, ...] = field(default=())
    made_up: bool = False

    @property
    def count(self) -> int:
        return self.source.count

    def name(self, number: int) -> str:
        return self.source.name(number)

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        return self.source.shapes(number)

    def read(self, number: int) -> Mapping[str, Array]:
        return self.fitted(number)[0]

    def digest(self, number: int) -> str:
        return digest_of(self.read(number))

    def check(self, number: int) -> None:
        """Raises where the sample's files can be seen not to fit before they are read."""
        shapes = self.source.shapes(number)
        for want in self.wanted:
            shape = shapes.get(want.name)
            if shape is not None and want.shape is not None:
                given = (1, *shape) if _lacks_batch(want.shape, shape) else shape
                if not fits(want.shape, given):
                    raise misfit(want, shape, self.name(number))

    def fitted(self, number: int) -> tuple[dict[str, Array], tuple[str, ...]]:
        """The sample, and what was done to it."""
        given = self.source.read(number)
        arrays: dict[str, Array] = {}
        notes: list[str] = []
        for want in self.wanted:
            if want.name in given:
                arrays[want.name], said = _fitted(want, given[want.name], self.name(number))
                notes += said
        return arrays, tuple(notes)


@dataclass(frozen=True)
class SampleSlice:
    """Samples: some of others, one after the other."""

    whole: Fitted
    first: int
    count: int

    @property
    def notes(self) -> tuple[str, ...]:
        return self.whole.notes

    @property
    def made_up(self) -> bool:
        return self.whole.made_up

    def name(self, number: int) -> str:
        return self.whole.name(self.first + number)

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        return self.whole.shapes(self.first + number)

    def check(self) -> None:
        """Raises at the first sample that can be seen not to fit."""
        for number in range(self.count):
            self.whole.check(self.first + number)

    def read(self, number: int) -> Mapping[str, Array]:
        return self.whole.read(self.first + number)

    def digest(self, number: int) -> str:
        return self.whole.digest(self.first + number)


def split(samples: Fitted, first: int | None) -> tuple[SampleSlice, SampleSlice, str]:
    """The first samples for calibration and the rest for evaluation, and a sentence on it.

    None: as many as there are; where no others are left, both are the same ones.
    """
    count = samples.count if first is None else min(first, samples.count)
    rest = samples.count - count
    if not rest:
        every = SampleSlice(samples, 0, samples.count)
        return every, every, f"All {samples.count:,} samples calibrate; no others are left to evaluate on."
    text = f"The first {count:,} of {samples.count:,} samples calibrate; the other {rest:,} are left for evaluation."
    return SampleSlice(samples, 0, count), SampleSlice(samples, count, rest), text


def _fitted(want: ModelInput, array: Array, sample: str) -> tuple[Array, list[str]]:
    notes = []
    shape = want.shape
    if shape is not None and _lacks_batch(shape, array.shape):
        array = array[np.newaxis]
        notes.append(f"{want.name}: a first dimension of 1 was put before each sample.")
    if shape is not None and not fits(shape, array.shape):
        raise misfit(want, array.shape, sample)
    try:
        fitted, note = fitting(want, array)
    except UsageError as error:
        raise UsageError(f"{sample}: {error.message}", error.hint) from error
    return fitted, [*notes, note] if note else notes


def _lacks_batch(wanted: Sequence[Dim], shape: Sequence[int]) -> bool:
    """Whether it is all but a first dimension of 1."""
    return bool(wanted) and (wanted[0] == 1 or not isinstance(wanted[0], int)) and fits(wanted[1:], shape)


def misfit(want: ModelInput, shape: Sequence[int], what: str) -> UsageError:
    """Explains an array of that shape to the user; another layout is recognised."""
    wrong = f"{what} has the shape {list(shape)}, and the model wants {want.text}."
    for order, given, wished in ((_TO_NCHW, "NHWC", "NCHW"), (_TO_NHWC, "NCHW", "NHWC")):
        if _would_fit(want.shape, shape, order):
            return UsageError(
                f"{wrong} That is the layout {given}, and the model wants {wished}.",
                f"Save it as numpy.transpose(values, {order}).",
            )
        inner = tuple(axis - 1 for axis in order[1:])
        if want.shape is not None and _would_fit(want.shape[1:], shape, inner):
            return UsageError(
                f"{wrong} That is the layout {given[1:]}, and the model wants {wished}.",
                f"Save it as numpy.transpose(values, {inner})[numpy.newaxis].",
            )
    return UsageError(wrong, "Give arrays of that shape; in brackets, a name or ? stands for any size.")


def _would_fit(wanted: Sequence[Dim] | None, shape: Sequence[int], order: tuple[int, ...]) -> bool:
    if wanted is None or len(wanted) != len(order) or len(shape) != len(order):
        return False
    return fits(wanted, [shape[axis] for axis in order])
