"""Distributions of the values: all of them before and after, and below that every channel."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from errorflow.base import ErrorflowError, Progress
from errorflow.explain.inspect.all_channels import Order, all_channels_figure, view_of
from errorflow.explain.inspect.channels import ChannelView, axes
from errorflow.explain.inspect.distribution_figure import distribution_figure
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.peaks import peaks_of
from errorflow.explain.inspect.spread_figures import histogram_figure
from errorflow.explain.inspect.tensors import Tensors
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import Place, Simulated
from errorflow_viewer.kit.following import always, follow
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.inspector.channels_view import channels_row, to_look, waiting
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.check_box import CheckBox
from errorflow_viewer.plots.large import FigureContent, Large

if TYPE_CHECKING:
    from errorflow.explain.inspect.distribution import Distribution
    from errorflow.explain.inspect.figure import Figure
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.quant.plan import Plan
    from errorflow.run.engine.engine import Engine

    _Wish = tuple[Engine, Plan, str, int | None]


KEY = "inspector.distributions"
RULE = (
    "Values with one clear peak quantize well, says Horizon's guide. It does not see channels that are much louder "
    "than others: look at each channel, too"
)
BUT = "That rule sees no channels: here they say otherwise."
# Boxes in the panel at least, with so many px for each, and in a large window.
FEWEST, EACH, MANY = 24, 7, 512
# Logical px, from which on there is room for two plots.
TALL = 480
# … and without which not even one is seen.
LEAST = 240
_ORDERS: tuple[tuple[Order, str], ...] = (("number", "In order"), ("loudness", "Loudest first"))


class DistributionsView:
    """The large window shows the plot that was asked for last, at first the channels."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.large = Large(desk, "distributions", "Distributions")
        theme = desk.appearance.theme
        self.values, self.channels = FigureView(theme, self.large), FigureView(theme, self.large)
        self.log = CheckBox("Logarithmic count")
        self.log.setToolTip("Count in powers of ten, so that few values are seen beside many")
        self.log.clicked.connect(self._choose_log)
        self.every = EverySample(desk, self._draw)
        self.values.controls.addWidget(self.log)
        self.values.controls.addStretch(1)
        self.axis, self.order = QComboBox(), QComboBox()
        self._make_choices()
        self.told = text_label(wraps=True, plain=True, selectable=True)
        self.told.setContentsMargins(PADDING, GRID, PADDING, 0)
        self.which, self.head = QComboBox(), QWidget()
        self._subject: Subject | None = None
        self._arranging = False
        self.widget = self._lay_out()
        self._view: ChannelView | None = None
        self._log: bool | None = None
        # The tensor for which the user chose an axis, and that axis.
        self._chosen = ("", -1)
        # What was said of a tensor.
        self._peaks: tuple[Tensors, str] | None = None
        # Whether the large window shows the values.
        self._of_values = False
        self.values.plot.enlarged.connect(partial(self._enlarge, True))
        self.channels.plot.enlarged.connect(partial(self._enlarge, False))
        follow(self.widget, desk.document.changed, self._on_changed, ("outliers",), always)
        desk.derived.add(
            channels_row(KEY, lambda _: to_look(self._looked, self.axis, self._view), self._take, self._draw)
        )

    def _make_choices(self) -> None:
        self.axis.setAccessibleName("Axis of the channels")
        self.axis.view().setAccessibleName("Axes")
        self.axis.setToolTip("The axis along which the channels lie")
        self.axis.activated.connect(self._choose_axis)
        self.order.setAccessibleName("Order of the channels")
        self.order.view().setAccessibleName("Orders")
        self.order.setToolTip("Whether channels stand as they are numbered or the loudest first")
        for order, text in _ORDERS:
            self.order.addItem(text, order)
        self.order.activated.connect(lambda _: self._draw())
        self.channels.controls.addWidget(self.axis)
        self.channels.controls.addWidget(self.order)
        self.channels.controls.addStretch(1)

    def _lay_out(self) -> "_Halves":
        box = _Halves(self._arrange)
        self.which.setAccessibleName("What is shown")
        self.which.view().setAccessibleName("Plots")
        self.which.addItems(("Each channel", "All values"))
        self.which.activated.connect(lambda _: self._arrange())
        box.add(self.told, 0)
        row = spaced(QHBoxLayout(self.head), PADDING, (PADDING, 0, PADDING, 0))
        row.addWidget(self.which, 1)
        row.addWidget(self.every.box)
        row.addStretch(0)
        box.add(self.head, 0)
        box.add(self.values, 1)
        box.add(self.channels, 1)
        return box

    def _arrange(self) -> None:
        """Arranges both plots where there is room for both."""
        tall = self.widget.height() >= TALL
        if self._arranging:  # what is hidden or shown changes the room at once
            return
        self._arranging = True
        self._show_halves(tall)
        self._arranging = False
        if (self.widget.height() >= TALL) != tall:
            self._show_halves(not tall)

    def _show_halves(self, tall: bool) -> None:
        looked = self._looked
        has_channels = looked is None or bool(axes(looked.tensors.shape))
        self.which.setVisible(has_channels and not tall)
        self._show_head()
        self.values.setVisible(tall or not has_channels or self.which.currentIndex() == 1)
        self.channels.setVisible(has_channels and (tall or self.which.currentIndex() == 0))

    def _show_head(self) -> None:
        """Shows what is chosen for both plots, and which of them is shown: if there is anything to choose."""
        self.head.setVisible(not (self.which.isHidden() and self.every.box.isHidden()))

    def show(self, subject: Subject | None) -> None:
        """The axis stays as long as it is the same tensor."""
        before = None if self._subject is None or self._subject.looked is None else self._subject.looked.tensors
        self._subject = subject
        looked = self._looked
        if looked is None or looked.tensors is not before or self._view is None:
            self._view = None
            self._fill(looked)
        if looked is None:  # nothing of it is left in memory
            self._peaks = None
        self._begin(looked)
        if self._view is not None:
            self.axis.setCurrentIndex(self.axis.findData(self._view.axis))
        self._draw()

    def _begin(self, looked: Looked | None) -> None:
        """Begins along the axis that stands in the box: what was looked at already is at hand."""
        known = None if looked is None else looked.channels
        if self._view is None and known is not None and known.axis == self.axis.currentData():
            self._view = known
        self._desk.derived.follow(KEY)

    @property
    def _looked(self) -> Looked | None:
        return None if self._subject is None else self._subject.looked

    def _fill(self, looked: Looked | None) -> None:
        self.axis.clear()
        shape = () if looked is None else looked.tensors.shape
        for axis in axes(shape):
            self.axis.addItem(f"Axis {axis}: {shape[axis]:,}", axis)
        self.axis.setCurrentIndex(self._wanted_axis(looked))
        self._arrange()

    @property
    def _name(self) -> str:
        return "" if self._subject is None else self._subject.choice.name

    def _wanted_axis(self, looked: Looked | None) -> int:
        """Finds the row in the box that the user chose for this tensor, also when it is measured anew."""
        name, axis = self._chosen
        place = self.axis.findData(axis) if name and name == self._name else -1
        return place if place >= 0 else self._usual_axis(looked)

    def _usual_axis(self, looked: Looked | None) -> int:
        """Finds the row in the box of the axis along which the outlier table has counted, else the tensor's own."""
        table, subject = self._desk.document.state.outliers, self._subject
        counted = None if table is None or subject is None else counted_axis(table, subject.choice.name)
        usual = None if looked is None else looked.tensors.axis
        places = (self.axis.findData(axis) for axis in (counted, usual) if axis is not None)
        return next((place for place in places if place >= 0), 0)

    # Choosing

    def _choose_axis(self, index: int) -> None:
        axis = int(self.axis.itemData(index))
        self._view, self._chosen = None, (self._name, axis)
        self._draw()
        self._desk.derived.ask(KEY)

    def _choose_log(self, on: bool) -> None:
        self._log = on
        self._draw()

    def _take(self, view: ChannelView) -> None:
        self._view = view
        self._draw()

    def _on_changed(self, _fields: object) -> None:
        if self._subject is None:
            return
        place = self._wanted_axis(self._looked)
        if self._view is not None and place != self.axis.currentIndex():
            self.axis.setCurrentIndex(place)
            self._view = None
            self._begin(self._looked)
        self._draw()

    # Showing

    def _draw(self) -> None:
        looked, theme = self._looked, self._desk.appearance.theme
        if looked is not None:
            self.log.setChecked(looked.overview.values.wants_log if self._log is None else self._log)
        self.every.look(self._subject, None if self._view is None else self._view.axis)
        self._show_head()
        self.values.show_figure(self._histogram(self.log.isChecked()), theme)
        below = self._channels(max(FEWEST, self.channels.width() // EACH))
        self.channels.show_figure(below, theme)
        if below is None and looked is not None:
            self.channels.notes.setText(waiting(self._desk, KEY))
        self._tell()
        self._fill_large()

    def _histogram(self, log: bool) -> "Figure | None":
        looked, seen = self._looked, self.every.found
        if looked is None:
            return None
        return distribution_figure(looked.overview, log) if seen is None else histogram_figure(seen, log)

    def _channels(self, columns: int) -> "Figure | None":
        looked, view, seen = self._looked, self._view, self.every.found
        if looked is None or view is None:
            return None
        ends = None if looked.overview.grid is None else (looked.overview.grid.low, looked.overview.grid.high)
        if seen is not None and seen.channels is not None:
            view, ends = view_of(seen.channels), seen.thresholds
        return all_channels_figure(view, ends, looked.tensors.name, self.order.currentData(), columns)

    def _tell(self) -> None:
        """Whether there is one clear peak, and what is known of the channels over all samples."""
        subject, looked = self._subject, self._looked
        is_said = looked is not None and looked.loud is not None  # above the views already
        parts = [self._judged(looked)]
        if is_said and parts[0]:
            parts.append(BUT)
        elif subject is not None:
            parts.append(over_samples(self._desk.document.state.outliers, subject.choice.name))
        text = " ".join(filter(None, parts))
        self.told.setText(text)
        self.told.setToolTip(RULE)
        self.told.setVisible(bool(text))

    def _judged(self, looked: Looked | None) -> str:
        """Judges the reference, or the side that there is; once for each tensor."""
        if looked is None:
            return ""
        tensors = looked.tensors
        if self.every.found is not None:
            return self.every.found.peaks.text
        if self._peaks is None or self._peaks[0] is not tensors:
            side = tensors.candidate if tensors.reference is None else tensors.reference
            self._peaks = tensors, "" if side is None else peaks_of(side).text
        return self._peaks[1]

    def _enlarge(self, of_values: bool) -> None:
        self._of_values = of_values
        self._fill_large()

    def _fill_large(self) -> None:
        looked = self._looked
        if looked is None:
            self.large.show(None)
            return
        name, log, large = looked.tensors.name, self.log.isChecked(), self._channels(MANY)
        if self._of_values or large is None:
            seen, every = looked.overview, self.every.found
            make = partial(distribution_figure, seen) if every is None else partial(histogram_figure, every)
            self.large.show(FigureContent(name, make, log, seen.grid))
        else:
            self.large.show(FigureContent(name, lambda _: large))


class _Halves(QWidget):
    """Tells when there is another amount of room, and does not ask for more than one plot needs."""

    def __init__(self, arrange: Callable[[], None]) -> None:
        super().__init__()
        self._arrange = arrange
        self._box = spaced(QVBoxLayout(self), GRID)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), LEAST)

    def add(self, widget: QWidget, stretch: int) -> None:
        self._box.addWidget(widget, stretch)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


DISTRIBUTIONS = View("distributions", "Distributions", DistributionsView)


# What the outlier table says of a tensor: its channels over all samples, beside the one sample on view.


def counted_axis(table: "OutlierTable", tensor: str) -> int | None:
    """Finds the axis along which its channels were counted; None: it has none there."""
    return next((row.axis for row in table.rows if row.tensor == tensor), None)


def over_samples(table: "OutlierTable | None", tensor: str) -> str:
    """Writes a sentence; "": it was not looked at, or it has no channels."""
    from errorflow.explain.inspect.figure import number_text

    row = None if table is None else next((row for row in table.rows if row.tensor == tensor), None)
    if table is None or row is None or not len(row.loud):
        return ""
    loud = int(row.loud[0])
    over = "" if row.kind == "weight" else f" over {table.samples:,} samples" if table.samples > 1 else ""
    if row.median < 1:
        return f"No channel stands out{over}: one scale costs the median channel {row.median:.1f} bits."
    largest = number_text(float(row.maxima[loud]))
    return (
        f"Channel {loud} is the loudest{over}, up to {largest}. One scale for all costs the median channel "
        f"{row.median:.1f} bits, and leaves it {row.effective_bits():.1f} of 8."
    )


EVERY_SAMPLE_KEY = "inspector.every sample"


class EverySample:
    """A box to check, and what is found in the background while it is; `told` hears when that changes."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._desk, self._told = desk, told
        self.box = CheckBox("All samples")
        self.box.clicked.connect(lambda _: self._told())
        self._wish: _Wish | None = None
        self._distribution: Distribution | None = None
        row = looked(
            EVERY_SAMPLE_KEY, "Looking at all samples", lambda _: self._wish, _distribution, self._take, self._fail
        )
        desk.derived.add(replace(row, drop=lambda _: self._forget(), stays=False))

    @property
    def found(self) -> "Distribution | None":
        """Distribution; None: one sample is to be shown, or the others are still being looked at."""
        return self._distribution if self.box.isChecked() else None

    def look(self, subject: Subject | None, axis: int | None) -> None:
        """Looks at what is shown now."""
        simulated = self._simulated(subject)
        self.box.setVisible(simulated is not None)
        self._wish = None
        if simulated is not None and simulated.outcome is not None and subject is not None and self.box.isChecked():
            engine = simulated.bench.engine
            self.box.setToolTip(f"The values of all {engine.samples:,} samples, not only of the one on view")
            self._wish = engine, simulated.outcome.plan, subject.choice.name, axis
        self._desk.derived.follow(EVERY_SAMPLE_KEY)

    def _simulated(self, subject: Subject | None) -> Simulated | None:
        """Finds the simulation; None: there are not several samples of it."""
        state = self._desk.document.state
        simulated = state.simulated
        if subject is None or simulated is None or simulated.outcome is None or state.place != Place():
            return None
        engine = simulated.bench.engine
        is_there = subject.choice.end != "weight" and subject.choice.name in engine.tensors
        return simulated if is_there and engine.samples > 1 else None

    def _forget(self) -> None:
        self._distribution = None

    def _take(self, found: "Distribution") -> None:
        self._distribution = found
        self._told()

    def _fail(self, error: ErrorflowError) -> None:
        """Fails as if nothing had been wanted."""
        self.box.setChecked(False)
        self._desk.say(error.message)
        self._told()


def _distribution(wish: "_Wish", progress: Progress) -> "Distribution":
    from errorflow.study.simulate.distributions import distribution_of

    engine, plan, name, axis = wish
    return distribution_of(engine, plan, name, None, axis, progress)
