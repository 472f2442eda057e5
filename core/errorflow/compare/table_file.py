"""Reads a comparison back from the table of tensors that `errorflow compare` writes.

What the table does not hold stays behind: values one by one, the least and the largest of a tensor, single channels.
"""

import codecs
import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from errorflow.base import SILENT, FormatError, Progress, dataclass
from errorflow.base.files import Source
from errorflow.compare.match.rules import RULES
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.graph.dump import TensorInfo

MAX_BYTES, MAX_ROWS = 1 << 30, 4_000_000
_HEAD = ("tensor", "operator", "type", "dtype", "shape", "candidate dtype")
_MARK = ",".join(_HEAD)
_KEYS = tuple(measure.key for measure in MEASURES)
_RULES = {rule.label: rule.key for rule in RULES}
# What a spreadsheet would run has a mark before it in the table.
_TAMED = re.compile(r"'[=+\-@\t\r]")
_STATE = re.compile(r"(?P<count>\d[\d,]{0,19}) (?P<what>NaN|infinite) in the (?P<run>candidate|reference)")
_FLAT = re.compile(r"the (?P<run>candidate|reference) is (?P<what>all zero|constant)")
_OVERFLOW = "overflow in the candidate"
_STEP = 5000


def is_tensor_table(source: Source) -> bool:
    """Whether it begins as such a table does."""
    return source.head[:200].decode("utf-8", "replace").removeprefix("\ufeff").startswith(_MARK)


def read_tensor_table(source: Source, progress: Progress = SILENT) -> Comparison:
    """Reads the rows in their order."""
    if source.size > MAX_BYTES:
        raise FormatError(f"{source.name} is too large for a table of tensors.", "Compare again to get a new one.")
    rows: list[Row] = []
    try:
        lines = csv.reader(_lines(source), strict=True)
        head = next(lines, [])
        cells = _Cells.of(head, source.name)
        for number, line in enumerate(lines):
            if number == MAX_ROWS:
                raise FormatError(f"{source.name} has more than {MAX_ROWS:,} rows.", "Compare a part of the model.")
            if number % _STEP == 0:
                progress.step(number, 0, source.name)
            if len(line) != len(head):
                raise FormatError(
                    f"Row {number + 2:,} of {source.name} has {len(line):,} cells; the first has {len(head):,}.",
                    "It was cut off or changed; compare again.",
                )
            rows.append(cells.row(line))
    except csv.Error as error:
        raise FormatError(f"{source.name} is no sound table: {error}.", "Compare again to get a new one.") from error
    return Comparison(tuple(rows))


def _lines(source: Source) -> Iterator[str]:
    """Line by line, however large it is."""
    decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), ""
    for piece in source.pieces():
        *lines, rest = (rest + decoder.decode(piece)).split("\n")
        yield from (f"{line}\n" for line in lines)
    rest += decoder.decode(b"", final=True)
    if rest:
        yield rest


@dataclass(frozen=True, slots=True)
class _Cells:
    """Places of the columns."""

    places: Mapping[str, int]
    metrics: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, head: Sequence[str], name: str) -> "_Cells":
        places = {title.removeprefix("\ufeff"): place for place, title in enumerate(head)}
        if any(title not in places for title in _HEAD):
            raise FormatError(f"{name} is no table of tensors.", "It is the tensors.csv of `errorflow compare`.")
        return cls(places, tuple((key, places[key]) for key in _KEYS if key in places))

    def row(self, line: Sequence[str]) -> Row:
        numbers = ((key, line[place]) for key, place in self.metrics)
        values = {key: value for key, text in numbers if text and (value := _number(text)) is not None}
        states = self._text(line, "states").split("; ")
        return Row(
            self._text(line, "tensor"),
            self._side(line, "reference"),
            self._side(line, "candidate"),
            values,
            self._text(line, "note"),
            _values_of("reference", states),
            _values_of("candidate", states),
            rule=_RULES.get(self._text(line, "rule"), ""),
            node=self._text(line, "operator"),
            op_type=self._text(line, "type"),
            done=tuple(filter(None, self._text(line, "done").split("; "))),
            measured_shape=_shape(self._text(line, "shape")) if values else None,
            overflows=_OVERFLOW in states,
        )

    def _side(self, line: Sequence[str], side: str) -> TensorInfo | None:
        """Reads one side; None: the run has no such tensor."""
        dtype = self._text(line, f"{side} dtype")
        if not dtype:
            return None
        shape, name = _shape(self._text(line, f"{side} shape")), self._text(line, f"{side} tensor")
        # Tables of earlier versions name a tensor once for both.
        name = name if name else self._text(line, "tensor")
        return TensorInfo(name, dtype, shape, 0, self._text(line, f"{side} layout"))

    def _text(self, line: Sequence[str], title: str) -> str:
        place = self.places.get(title)
        return "" if place is None else untamed(line[place])


def untamed(text: str) -> str:
    """A cell without what keeps programs from taking it for a formula."""
    return text[1:] if _TAMED.match(text) and _number(text[1:]) is None else text


def _values_of(run: str, states: Sequence[str]) -> Side:
    """Reads what the states tell of a run's values; of those that are constant, which one is not known."""
    nan = inf = 0
    ends = (float("inf"), float("-inf"))
    for state in states:
        counted, flat = _STATE.fullmatch(state), _FLAT.fullmatch(state)
        if counted is not None and counted["run"] == run:
            count = int(counted["count"].replace(",", ""))
            nan, inf = (count, inf) if counted["what"] == "NaN" else (nan, count)
        elif flat is not None and flat["run"] == run:
            ends = (0.0, 0.0) if flat["what"] == "all zero" else (1.0, 1.0)
    return Side(nan, inf, *ends)


def _shape(text: str) -> tuple[int, ...]:
    sizes = text.split("×")
    return tuple(map(int, sizes)) if all(size.isdecimal() and len(size) < 19 for size in sizes) else ()


def _number(text: str) -> float | None:
    if "_" in text:
        return None  # Python's own digit separator, which the table never has
    try:
        return float(text)
    except ValueError:
        return None
