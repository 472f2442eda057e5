"""A vendor's own comparer: the line that its table has of a pair, made beside what is measured here."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.base.vendor import Rows
from errorflow.compare.match.model import Listed, Pair

if TYPE_CHECKING:
    from errorflow.compare.together import Together


@dataclass(frozen=True, slots=True)
class Printed:
    """The line of a pair: what was known before, and its cells by the names of their columns."""

    listed: Listed
    cells: Mapping[str, str] = field(default_factory=dict)
    # Why a cell has no number, in the tool's own words.
    reason: str = ""
    # Whether the tool says that the candidate overflows.
    overflows: bool = False


class Printer(Protocol):
    """Printer of the lines of one comparison; small and plain, since it travels to other processes."""

    # Whether it looks at a candidate that has no partner.
    @property
    def reads_alone(self) -> bool: ...

    def begin(self, line: Printed) -> Printed: ...

    def read(self, line: Printed, candidate: NDArray[Any]) -> Printed:
        """Adds what the candidate alone says."""
        ...

    def measure(self, line: Printed, pair: Pair, together: "Together") -> Printed: ...

    def end(self) -> None:
        """Ends what was begun in this process for the next pair."""
        ...


class ToolColumn(Protocol):
    """A column of the tool's table."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Cells:
    """The row of one pair: what each column holds, and the remarks on it."""

    values: dict[str, str]
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparer:
    """A vendor's tool that compares."""

    rank: ClassVar[int] = 0
    key: str
    # Of words that are typed, and a folder with columns of the user's; "": there is none.
    columns: Callable[[Sequence[str], str], tuple[ToolColumn, ...]]
    # Of two arrays of one shape, under the names of their files; of the user's own columns it says nothing.
    cells: Callable[[NDArray[Any], NDArray[Any], Sequence[ToolColumn], tuple[str, str]], Cells]
    # Those of two files that are compared by themselves.
    file_columns: Callable[[], tuple[ToolColumn, ...]]
    # By columns, how many values of each tensor are looked at (None: all), overflow, and options of the user's columns.
    printer: Callable[[Sequence[ToolColumn], int | None, bool, str], Printer]


COMPARERS = Rows(Comparer, "comparers")


def msaccucmp() -> Comparer:
    """The one whose options and exit codes the command line has."""
    return COMPARERS.by_key["msaccucmp"]
