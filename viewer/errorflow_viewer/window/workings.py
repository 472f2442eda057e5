"""Workings of a window that are not seen: the document, its jobs, and what follows from both."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from errorflow_viewer.document.compared_trial import RunsBeside
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.derived_table import derived
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening import SHAPES, Opening, missing_shapes
from errorflow_viewer.document.recents import Recents
from errorflow_viewer.document.reopening import Reopening
from errorflow_viewer.kit.banner import Banners
from errorflow_viewer.kit.drawings import Drawings
from errorflow_viewer.kit.jobs import Jobs
from errorflow_viewer.kit.large_plots import LargePlots
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.translation.speech import Speech
from errorflow_viewer.window.switches import first_form, form_for


class Workings:
    """Workings of one window."""

    def __init__(
        self, window: QWidget, settings: Settings, theme: Theme, place: Path, reopen: Callable[[Path], None]
    ) -> None:
        """`place`: the folder for what searches keep."""
        self.speech = Speech(settings, window)
        document = self.document = Document(window)
        self.speech.follow(document)
        self.jobs = Jobs(window)
        self.drawings = Drawings(first_form(settings))
        self.opening = Opening(document, self.jobs, self.drawings, partial(form_for, settings), window)
        self.reopening = Reopening(settings, document, self.jobs, self.opening, reopen, window)
        self.recents = Recents(settings, self.jobs, window)
        self.plots = LargePlots(window)
        self.banners = Banners(theme)
        rows = *derived(place), missing_shapes(SHAPES, document, lambda: self.drawings)
        self.derived = Deriving(document, self.jobs, rows, self.banners.show_notice, self.banners.dismiss, window)
        self.beside = RunsBeside(document, window)
