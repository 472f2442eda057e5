"""Advice of msaccucmp's advisor on a result table: one finding, where, and what to do.

The answers are the tool's own, word for word, and so is the reading of odd tables: it goes through pandas.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from errorflow.base import ErrorflowError, FileError, dataclass
from errorflow.base.files import Source

LIMIT = 0.99
MAX_BYTES = 100 * 1024 * 1024
MAX_NODES_BYTES = 1024
NONE = "NA"

# What msaccucmp ends with.
FAILED, NOT_OPENED, WRONG_TYPE, BROKEN = 1, 7, 24, 33

_HINT = "Take the result_….csv that `msaccucmp compare` or `errorflow compare` wrote."
_MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
_INTEGER = re.compile(r"\s*[+-]?\d+\s*")
_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?)\s*", re.IGNORECASE)
_NODE_CHARACTERS = re.compile(r"[_A-Za-z0-9/.,;-]*")

Cell = int | float | str


class AdviceError(ErrorflowError):
    """No advice can be given; `code` is what msaccucmp's advisor ends with."""

    def __init__(self, message: str, hint: str, code: int) -> None:
        super().__init__(message, hint)
        self.code = code


@dataclass(frozen=True, slots=True)
class ToolAdvice:
    """`index` is the operator's, as a text; NA where there is none."""

    finding: str = NONE
    index: str = NONE
    text: str = NONE

    @property
    def lines(self) -> tuple[str, str, str]:
        return (f"Detection Type: {self.finding}", f"Operator Index: {self.index}", f"Expert Advice: {self.text}")

    @property
    def summary(self) -> str:
        """Text of advisor_summary.txt."""
        return "".join(f"{line}\n" for line in self.lines)


_OVERFLOW = "Float16 data overflow occurs. Rectify the fault and perform comparison again."
_INPUT = (
    "The input data of NPUDump is inconsistent with that of GroundTruth. Use the same data "
    "or check the data preprocessing process."
)
_FINE = (
    "All data in the comparison result meets the accuracy requirements. If data accuracy of the model is still not "
    "up to standard in practical application, please check the post-processing process of model outputs."
)
_PROBLEM = (
    "The accuracy of some tensors is low, resulting in an unqualified final accuracy. This may be caused by "
    "quantization. Calibrate the data or contact Huawei for further diagnosis. "
)
_DEVIATION = (
    "The accuracy of some tensors is low, while the final accuracy is qualified. This may be caused by Ascend "
    "internal optimization. Ignore or contact Huawei for further diagnosis. "
)
_CONSISTENCY = "Global Consistency"


def advise(path: Path, input_nodes: Sequence[str] = ()) -> ToolAdvice:
    """The first of: an overflow, an input that differs, the first tensor that is off; or that all is well."""
    table = _Table(path)
    overflow = table.column("OverFlow")
    if overflow is not None and "YES" in overflow:
        return ToolAdvice("FP16 Overflow", table.index(overflow.index("YES")), _OVERFLOW)
    cosines = table.column("CosineSimilarity")
    if cosines is None:
        return ToolAdvice()
    known = [(place, value) for place, value in enumerate(cosines) if not _is_missing(value)]
    if not known:
        return ToolAdvice()
    bad = [place for place, value in known if _below(value, path.name)]
    found = _by_inputs(table, bad, input_nodes)
    return _by_all(table, bad, known[-1][0]) if found is None else found


def parse_nodes(text: str) -> tuple[str, ...]:
    """`a;b`: the names of the operators that read the network's inputs."""
    if not _NODE_CHARACTERS.fullmatch(text):
        raise AdviceError(
            f"{text!r} holds characters that no name of a node may have here.",
            "Part names by semicolons, without spaces: -input_nodes 'data;mask'.",
            FAILED,
        )
    if len(text.encode()) > MAX_NODES_BYTES:
        raise AdviceError(f"The names are longer than {MAX_NODES_BYTES:,} bytes.", "Name fewer nodes.", BROKEN)
    return tuple(name for name in text.split(";") if name)


def _by_inputs(table: "_Table", bad: Sequence[int], input_nodes: Sequence[str]) -> ToolAdvice | None:
    names = table.column("NPUDump")
    for node in input_nodes:
        found = next((place for place in bad if names is not None and names[place] == node), None)
        if found is not None:
            return ToolAdvice("Input Inconsistent", table.index(found), _INPUT)
    return None


def _by_all(table: "_Table", bad: Sequence[int], last: int) -> ToolAdvice:
    if not bad:
        return ToolAdvice(_CONSISTENCY, NONE, _FINE)
    return ToolAdvice(_CONSISTENCY, table.index(bad[0]), _PROBLEM if bad[-1] == last else _DEVIATION)


def _below(value: Cell, name: str) -> bool:
    if isinstance(value, str):
        raise AdviceError(f"{name} has a cosine that is no number: {value[:50]!r}.", _HINT, FAILED)
    return value < LIMIT


def _is_missing(value: Cell) -> bool:
    return isinstance(value, float) and math.isnan(value)


class _Table:
    """The cells by columns, typed as a whole: one text among numbers makes all of them texts."""

    def __init__(self, path: Path) -> None:
        self._rows = _rows(path)
        header = next(self._rows, None)
        if header is None:
            raise AdviceError(f"{path.name} is empty.", _HINT, NOT_OPENED)
        self._places = {name: place for place, name in reversed(list(enumerate(header)))}
        if not {"Index", "NPUDump"} <= self._places.keys():
            raise AdviceError(f"{path.name} has no columns Index and NPUDump.", _HINT, BROKEN)
        self._cells = list(_fitted(self._rows, len(header)))
        self._typed: dict[str, list[Cell]] = {}

    def column(self, name: str) -> list[Cell] | None:
        if name not in self._places:
            return None
        if name not in self._typed:
            place = self._places[name]
            self._typed[name] = _typed([cells[place] for cells in self._cells])
        return self._typed[name]

    def index(self, place: int) -> str:
        """The cell under Index of that row."""
        column = self.column("Index")
        return NONE if column is None else str(column[place])


def _rows(path: Path) -> Iterator[list[str]]:
    if path.suffix != ".csv":
        raise AdviceError(f"{path.name} is no .csv.", _HINT, WRONG_TYPE)
    try:
        with Source(path) as source:
            if source.size > MAX_BYTES:
                text = f"{path.name} has {source.size:,} bytes; {MAX_BYTES:,} is the limit."
                raise AdviceError(text, _HINT, BROKEN)
            data = source.read(0, source.size)
    except FileError as error:
        raise AdviceError(error.message, error.hint, NOT_OPENED) from error
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8").removeprefix("\ufeff"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise AdviceError(f"{path.name} is no table in UTF-8: {error}.", _HINT, NOT_OPENED) from error
    return (cells for cells in lines if len(cells) > 1 or "".join(cells).strip(" "))


def _fitted(rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    """Lines as long as the header. If the first is longer, what it has too much stands in front, of all of them."""
    in_front: int | None = None
    for cells in rows:
        if in_front is None:
            in_front = max(0, len(cells) - width)
        if len(cells) <= width + in_front:
            own = cells[in_front:]
            yield [*own, *("",) * (width - len(own))]


def _typed(texts: list[str]) -> list[Cell]:
    known = [text for text in texts if text not in _MISSING]
    if len(known) == len(texts) and all(_INTEGER.fullmatch(text) and len(text) < 19 for text in texts):
        return [int(text) for text in texts]
    if all(_NUMBER.fullmatch(text) for text in known):
        return [math.nan if text in _MISSING else float(text) for text in texts]
    return [math.nan if text in _MISSING else text for text in texts]
