"""The commands on what there is to open, rows of the table of commands."""

from functools import partial
from pathlib import Path

from errorflow.base.sample import SAMPLES, Sample
from errorflow_viewer.commands.api import Action, Entry
from errorflow_viewer.kit.recent import Recent, folder_of, name_of
from errorflow_viewer.pages.desk import PageDesk


def open_menu(desk: PageDesk) -> None:
    """A submenu has no command of its own; from the palette it lists what it holds."""
    desk.commands.open_palette("Open ")


def recent_entries(desk: PageDesk) -> tuple[Entry[PageDesk], ...]:
    """The recent files and comparisons, and the way to forget them."""
    recents = desk.recents
    entries = tuple(
        Entry(name_of(recent), partial(_open, recent), _where(recent), not recents.is_missing(recent))
        for recent in recents.entries
    )
    return (*entries, Entry("Clear recent files", lambda desk: desk.recents.clear())) if entries else ()


def _where(recent: Recent) -> str:
    """Writes the place in one line."""
    return str(recent) if isinstance(recent, Path) else folder_of(recent)


def turn_reopening(desk: PageDesk) -> None:
    """Whether the next start opens the model of the last time."""
    desk.settings.reopens = not desk.settings.reopens


def sample_entries(_: PageDesk) -> tuple[Entry[PageDesk], ...]:
    """The built-in samples; nothing of them is read before one is chosen."""
    return tuple(Entry(row.title, partial(_open_sample, row), row.story) for row in SAMPLES)


def _open_sample(sample: Sample, desk: PageDesk) -> None:
    desk.open(sample.model)


def _open(recent: Recent, desk: PageDesk) -> None:
    desk.open_again(recent)


OPENING: tuple[Action[PageDesk], ...] = (
    Action("open", "&Open…", "File/open", lambda d: d.ask_for_file(), "open", ("Ctrl+O",), "Open a model", toolbar=1),
)

# What there is to open.
LISTING: tuple[Action[PageDesk], ...] = (
    Action("recent", "Open &recent", "File/open", open_menu, "recent", entries=recent_entries),
    Action("sample", "Open &sample", "File/open", open_menu, "sample", entries=sample_entries, also_in="Help"),
    Action(
        "reopen", "Reopen the last &model at start", "File/open", turn_reopening, checked=lambda d: d.settings.reopens
    ),
)
