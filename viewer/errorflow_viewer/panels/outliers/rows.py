"""The outlier table as rows to search and sort, with the places in the graph that each is about."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, said
from errorflow.base.values import dataclass, field
from errorflow.graph.model import Graph
from errorflow_viewer.panels.lines.rows import Bools, Floats, LineRows, RowChoice
from errorflow_viewer.panels.lines.table import Columns

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.outliers.model import Outliers, OutlierTable

TENSOR, TYPE, CHANNELS, SPARSE, FIRST = range(5)
# Those of `errorflow.explain.outliers.levels`, which is not loaded before there is something to show.
SHARES = (3, 4, 5, 6)
MEDIAN = FIRST + len(SHARES)
MOST = MEDIAN + 1
# Bits that the median channel loses, from which on a row stands out.
LOST = 3.0
# Channels that a tip names.
NAMED = 6
_LEVEL = "Level of a channel: log₂(largest value of the tensor / largest of the channel), over all samples"
_SHARE = (
    "Level ≥ {0}: share of the channels that lose {0} bits of resolution or more, as Pulsar2's table has it.\n" + _LEVEL
)
TIPS = (
    "What flows over all samples, and the weights of convolutions and products",
    "The operator that makes it, or of weights the one that multiplies by them",
    "How many there are: along the second axis, behind products the last one, of weights those that they make",
    "Share of the channels that are always zero, or below 2⁻²⁴ of the tensor's largest value.\n"
    "What Pulsar2 counts as sparse is not published: this is Errorflow's definition",
    *(_SHARE.format(level) for level in SHARES),
    f"Median level: bits that one scale for all takes from the channel in the middle; sparse ones do not count.\n"
    f"{_LEVEL}.\n"
    "The base of Pulsar2's logarithm is not published: 2 is Errorflow's choice",
    f"Highest level: bits that the quietest channel loses that is not sparse.\n{_LEVEL}",
)

COLUMNS = Columns(
    (*("Tensor", "Type", "Channels", "Sparse"), *(f"≥ {level}" for level in SHARES), *("Median", "Highest")),
    wide=(TENSOR,),
    names=(TENSOR,),
    error=-1,
    note="",
    none="",
    numbers=CHANNELS,
    tips=TIPS,
)


@dataclass(frozen=True, slots=True, eq=False)
class OutlierLine:
    """A row of the table, the node that makes or reads the tensor, and the tensor itself; None: not in this graph."""

    row: "Outliers"
    node: int | None
    tensor: int | None


@dataclass(frozen=True, eq=False)
class OutlierRows(LineRows[OutlierLine]):
    """The worst first."""

    table: "OutlierTable | None" = field(default=None)

    @classmethod
    def of(cls, table: "OutlierTable", graph: Graph, findings: "Findings | None") -> "OutlierRows":
        find = _finder(graph, findings)
        return cls(tuple(_line(row, find(row.tensor), graph) for row in table.worst), table=table)

    def cell(self, row: int, column: int) -> str:
        found = self.lines[row].row
        if column == TENSOR:
            return found.tensor
        if column == TYPE:
            return _type(found)
        return f"{found.channels:,}" if column == CHANNELS else self._number(found, column)

    def exact(self, row: int, column: int) -> float | str | None:
        if column == CHANNELS:
            return str(self.lines[row].row.channels)
        return float(self._numbers[column][row]) if column > CHANNELS else None

    def words(self, line: OutlierLine) -> str:
        return f"{line.row.tensor} {_type(line.row)} {line.row.node} {line.row.kind}"

    def tip(self, row: int) -> str:
        return joined("\n", (self.lines[row].row.tensor, *map(said, filter(None, _told(self.lines[row].row)))))

    def steps_back(self, row: int, column: int) -> bool:
        """Whether a cell steps back: where nothing is lost there is nothing to read."""
        return column == TYPE or (column >= SPARSE and not float(self._numbers[column][row]))

    def stands_out(self, row: int, column: int) -> bool:
        return column == MEDIAN and self.lines[row].row.median >= LOST

    def order(self, column: int) -> Ints:
        if column < CHANNELS:
            return super().order(column)
        return np.argsort(self._numbers[column], kind="stable").astype(np.int32)

    def row_of(self, node: int | None, tensor: int | None) -> int | None:
        """The worst that is about it."""
        about = (
            at
            for at, line in enumerate(self.lines)
            if (tensor is not None and line.tensor == tensor) or (node is not None and line.node == node)
        )
        return next(about, None)

    @cached_property
    def lossy(self) -> Bools:
        return self._numbers[MEDIAN] >= LOST

    @cached_property
    def weights(self) -> Bools:
        return np.array([line.row.kind == "weight" for line in self.lines], bool)

    @cached_property
    def _numbers(self) -> dict[int, Floats]:
        rows = [line.row for line in self.lines]
        columns: dict[int, list[float]] = {
            CHANNELS: [row.channels for row in rows],
            SPARSE: [row.sparse for row in rows],
            MEDIAN: [row.median for row in rows],
            MOST: [row.most for row in rows],
        }
        for at, level in enumerate(SHARES):
            columns[FIRST + at] = [row.share(level) for row in rows]
        return {column: np.array(numbers, np.float64) for column, numbers in columns.items()}

    @staticmethod
    def _number(row: "Outliers", column: int) -> str:
        if column >= MEDIAN:
            return f"{row.median if column == MEDIAN else row.most:.2f}"
        return f"{100 * (row.sparse if column == SPARSE else row.share(SHARES[column - FIRST])):.0f} %"

    def prepare(self) -> "OutlierRows":
        """Prepares the caches that the first look needs."""
        self.search("-")
        for choice in CHOICES:
            choice.holds(self)
        return self


CHOICES: tuple[RowChoice[OutlierRows], ...] = (
    RowChoice("All", lambda rows: np.ones(len(rows), bool)),
    RowChoice(
        f"{LOST:g} bits lost or more", lambda rows: rows.lossy, f"No median channel loses {LOST:g} bits or more."
    ),
    RowChoice("What flows", lambda rows: ~rows.weights),
    RowChoice("Weights", lambda rows: rows.weights, "No weight with channels was found in the model."),
)


def _type(row: "Outliers") -> str:
    kind = "weight of " if row.kind == "weight" else ""
    return f"{kind}{row.op_type}" if row.op_type else "input"


def _told(row: "Outliers") -> list[str]:
    """Describes its channels in words."""
    from errorflow.explain.inspect.figure import number_text

    if not len(row.loud):
        return ["All channels are zero."]
    loud = int(row.loud[0])
    quiet = ", ".join(
        f"{channel} ({number_text(float(row.maxima[channel]))})" for channel in row.quiet[:NAMED].tolist()
    )
    return [
        f"{row.channels:,} channels along axis {row.axis}; {row.note}".rstrip("; "),
        f"Loudest: channel {loud}, up to {number_text(float(row.maxima[loud]))}. Quietest: {quiet}",
        f"One scale for all leaves the median channel {row.effective_bits():.1f} of 8 bits.",
    ]


def _line(row: "Outliers", tensor: int | None, graph: Graph) -> OutlierLine:
    if tensor is None:
        return OutlierLine(row, None, None)
    if row.kind == "weight":
        readers = graph.consumers[tensor].tolist()
        return OutlierLine(row, readers[0] if readers else None, tensor)
    maker = int(graph.producers[tensor])
    return OutlierLine(row, maker if maker >= 0 else None, tensor)


def _finder(graph: Graph, findings: "Findings | None") -> Callable[[str], int | None]:
    """Makes a finder by the name; where a run has names of its own, by the place of its row in the graph."""
    placed: dict[str, int] = {}
    if findings is not None and findings.graph is graph:
        rows = findings.comparison.rows
        placed = {rows[at].tensor: tensor for tensor, numbers in findings.placed.about.items() for at in numbers}

    def find(name: str) -> int | None:
        found = graph.tensor_index(name)
        return placed.get(name) if found is None else found

    return find
