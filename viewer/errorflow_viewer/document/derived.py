"""A value that is derived from others in the background: a row says from which, and `deriving` runs all rows."""

from collections.abc import Callable, Collection, Iterable
from typing import Generic, Literal, TypeVar

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.jobs import Give

W = TypeVar("W")
V = TypeVar("V")
Press = Callable[[], None]


def _nothing(*_: object) -> None:
    """Does nothing: nothing is known without work, nothing has to be forgotten, nothing is to be said."""


def _never(*_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derived(Generic[W, V]):
    """A row: a value, what it reads, and the work that makes it."""

    # The key of its job.
    name: str
    # What the job is called.
    text: Callable[[W], str] | str
    # Fields of the state, and of the session as in "session.painting". A change of the model is always heard.
    reads: Collection[str]
    # All that the work needs; two that are equal are one wish. None: there is nothing to derive the value from.
    wish: Callable[[State], W | None]
    # In the background, touches nothing shared.
    work: Callable[[W, Progress, Give[V]], V]
    # Not needed where the work leaves it in a file, or remembered by what it was made of.
    keep: Callable[[Document, W, V], None] = _nothing
    # Takes what is known so far; a cancel or a failure keeps the last of it where `keeps_parts`.
    part: Callable[[Document, W, V], None] = _nothing
    keeps_parts: bool = False
    # Ends what was made and is not wanted any more.
    lost: Callable[[V], None] | None = None
    # Forgets the value: there is nothing to derive it from, or another one is coming unless the old one `stays`.
    drop: Callable[[Document], None] = _nothing
    stays: bool = True
    # What needs no work.
    known: Callable[[State, W], V | None] = _nothing
    # Whether it begins by itself, or when it is asked for.
    by_itself: bool = True
    # Of one that is asked for: whether what runs is of use still.
    holds: Callable[[W, State], bool] = _never
    # Jobs that it waits for, and for how many milliseconds it waits for yet another wish.
    after: Collection[str] = ()
    calm: int = 0
    # Whether what runs for one wish comes to its end before the work for another one begins; and whether it rests
    # before that as long as it took.
    in_turn: Callable[[W, W], bool] = _never
    rests: Callable[[W], bool] = _never
    # Where a failure is told: in a banner of that key, by whoever shows the value, or in the log only.
    reports: Literal["banner", "value", "log"] = "banner"
    failed: Callable[[ErrorflowError], None] = _nothing
    notice: str = ""
    # Whether that offers another try.
    again: bool = True
    # Takes back a wish that failed, or that the user cancelled.
    in_vain: Callable[[Document, W], None] = _nothing
    # Of one that is asked for: tells that it ended since something else is on view.
    overtaken: Callable[[], None] = _nothing
    # What is to be known beside the value.
    told: Callable[[W, V], Iterable[Notice] | None] = _nothing
    # What is told of a cancel by the user, with what was known by then and what asks once more.
    cancelled: Callable[[W, V | None, Press], Notice | None] = _nothing
    # Whether the window shows that it runs.
    shown: bool = True
