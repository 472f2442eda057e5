"""AMCT's binary search over a ranking: as many of the worst parts as are needed, if more of them are never worse."""

from errorflow.study.search.flow import Next, asked_by_amct
from errorflow.study.search.space import Space
from errorflow.study.search.steps import SearchKnowledge, Steps, Strategy


class _Halving:
    """Says what to try next; the first answer is that of the whole plan."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._left, self._right = 0, len(names) - 1
        self._middle = -1
        self._passed: Next | None = None
        self._last: Next | None = None

    def update(self, good: bool, loss: float) -> Next:  # noqa: ARG002 - as AMCT asks
        if self._middle >= 0:
            if good:
                self._passed, self._right = self._last, self._middle - 1
            else:
                self._left = self._middle + 1
        if self._left > self._right:
            found = self._last if good or self._passed is None else self._passed
            assert found is not None, "the first middle is never beyond"
            return Next(True, found.quantized)
        self._middle = (self._left + self._right) // 2
        back = frozenset(self._names[: self._middle + 1])
        self._last = Next(False, {name: name not in back for name in self._names})
        return self._last


def _run(space: Space, known: SearchKnowledge) -> Steps:
    if len(space):
        yield from asked_by_amct(space, known, _Halving([part.name for part in space.parts]).update)


BINARY = Strategy(
    "binary",
    "Binary search",
    "AMCT's: halves the ranking again and again. It takes for granted that more of the worst parts in float are never "
    "worse, and finds no set but the first so many of the ranking.",
    _run,
)
