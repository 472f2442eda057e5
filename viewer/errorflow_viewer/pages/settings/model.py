"""Setting: its words, and how it is read, given and put into effect. Rows of the table in `rows`."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from errorflow.base.values import dataclass, field
from errorflow_viewer.pages.desk import PageDesk

Value = str | int | bool


def _never(_: PageDesk) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. `options` of a choice are texts with their values; without any it is on or off."""

    key: str
    section: str
    name: str
    about: str
    read: Callable[[PageDesk], Value]
    give: Callable[[PageDesk, Value], None]
    default: Value
    options: Callable[[PageDesk], Sequence[tuple[str, Value]]] | None = None
    # A folder, in place of a choice.
    folder: Callable[[PageDesk], str] | None = None
    # Other words that it is found by.
    also_called: str = ""
    # Why it cannot be changed here; "": it can.
    held: Callable[[PageDesk], str] = _never
    # Something to look at below it.
    beside: Callable[[PageDesk], QWidget] | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """A row that is no setting: something that is done, counted, or only said."""

    key: str
    section: str
    name: str
    about: str
    made: Callable[[PageDesk], QWidget] | None = None
    also_called: str = ""
    # Whether it makes sense here.
    wanted: Callable[[PageDesk], bool] = field(default=lambda _: True)


Row = Setting | Other
