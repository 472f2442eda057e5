"""Pairs of tensors in the form that the original model gives them: its layout, its shape, real values."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import holds_numbers
from errorflow.base.errors import ErrorflowError
from errorflow.base.language import say
from errorflow.compare.match.model import Pair
from errorflow.compare.options import Options
from errorflow.compare.together import bring_together, real_values

Array = NDArray[np.generic]
_OPTIONS = Options()
# So much is kept: what one node makes, others read soon.
KEPT = 128 << 20


@dataclass(frozen=True, slots=True)
class Both:
    mine: Array
    golden: Array


@dataclass
class Values:
    """Reads pairs, the last ones kept in memory."""

    most: int = KEPT
    _kept: "OrderedDict[int, Both | str]" = field(default_factory=OrderedDict)
    _pairs: dict[int, Pair] = field(default_factory=dict)
    _size: int = 0

    def first_of(self, pairs: Sequence[Pair]) -> Both | str:
        """Of the first pair that can be read, or why the first one cannot."""
        reasons: list[str] = []
        for pair in pairs:
            found = self.of(pair)
            if not isinstance(found, str):
                return found
            reasons.append(found)
        return reasons[0]

    def of(self, pair: Pair) -> Both | str:
        """Both tensors, or why they cannot be brought together."""
        key = id(pair)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = _read(pair)
        self._kept[key] = found
        self._pairs[key] = pair  # so that no other gets its number meanwhile
        self._size += _size(found)
        while self._size > self.most and len(self._kept) > 1:
            old, gone = self._kept.popitem(last=False)
            del self._pairs[old]
            self._size -= _size(gone)
        return found


def _size(found: Both | str) -> int:
    return 0 if isinstance(found, str) else found.mine.nbytes + found.golden.nbytes


def _read(pair: Pair) -> Both | str:
    assert pair.candidate is not None and pair.reference is not None
    try:
        mine, golden = pair.candidate.read(), pair.reference.read()
        if not (holds_numbers(mine) and holds_numbers(golden)):
            return say("it holds no numbers")
        together = bring_together(pair, mine, golden, _OPTIONS)
        found, reference, qparams, done = real_values(pair, together, _OPTIONS)
    except MemoryError:
        return say("there is not enough memory for both tensors")
    except ErrorflowError as error:
        return error.message
    if pair.qparams is not None and qparams is None:
        return ", ".join(done)
    if found.size != golden.size or not np.array_equal(reference.reshape(-1), golden.reshape(-1), equal_nan=True):
        return say("its values could not be brought to the layout of the original model")
    with np.errstate(all="ignore"):  # an overflow shows as an infinity
        return Both(found.reshape(golden.shape).astype(golden.dtype, copy=False), golden)
