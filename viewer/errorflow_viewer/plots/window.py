"""The window of one kind of plot: tools above the plot, what is under the pointer below it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, Progress
from errorflow.base.files import write_atomic
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import COPY_NUMBERS, COPY_PICTURE
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.menu_key import add_menu_key, press_held
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, TARGET, Theme
from errorflow_viewer.plots.figure_sheet import FigureSheet
from errorflow_viewer.plots.figures import FILTERS, file_name, png, with_ending
from errorflow_viewer.plots.large import COPYING, SAVING, Content, FigureContent, MapContent, ProfileContent
from errorflow_viewer.plots.map_sheet import MapSheet
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.plots.sheet import ZOOM, PlotSheet

_SIZE = QSize(1000, 680)
_HELP = "how-to/look-closely.md"
_NOTHING = "There is nothing of this kind to show of what is selected."


class PlotWindow(QWidget):
    """Belongs to the main window and closes with it. `closed` comes when it is not seen any more."""

    closed = Signal()

    def __init__(self, desk: Desk, key: str, title: str, main: QWidget) -> None:
        super().__init__(main, Qt.WindowType.Window)
        self._desk, self._key, self._title = desk, key, title
        # What is shown, and what would be if it were not kept.
        self._shown: Content | None = None
        self._newest: Content | None = None
        self.setAccessibleName(f"{title}, large")
        self.name = _label("strong")
        self.told, self.notes = _label(""), _label("label")
        self.told.setAccessibleName("Under the pointer")
        self.nothing = text_label(_NOTHING, muted=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.nothing)
        self.sheets: dict[type, PlotSheet] = {}
        self.tools = QHBoxLayout()
        self.pin = self._tool("pin", "Keep what is shown, whatever is selected (P)", self._on_pin, "P", True)
        self.pan = self._tool("pan", "Drag to move instead of zooming in (M)", self._on_pan, "M", True)
        self._lay_out()
        self._add_keys()
        self._restore(main)
        main.installEventFilter(self)
        desk.appearance.changed.connect(self.dress)

    @property
    def sheet(self) -> PlotSheet | None:
        """The one that is seen; None: there is nothing to show."""
        current = self.stack.currentWidget()
        return current if isinstance(current, PlotSheet) else None

    @property
    def has_plot(self) -> bool:
        return self.isVisible() and self.sheet is not None

    def _lay_out(self) -> None:
        self.tools.setContentsMargins(PADDING, GRID, PADDING, GRID)
        self.tools.setSpacing(2)
        self.tools.addWidget(self.name, 1)
        self._controls = spaced(QHBoxLayout(), PADDING, (PADDING, 0, PADDING, 0))
        self.tools.addLayout(self._controls)
        self.tools.addWidget(self._tool("zoom-in", "Zoom in (+)", lambda: self._zoom(ZOOM)))
        self.tools.addWidget(self._tool("zoom-out", "Zoom out (−)", lambda: self._zoom(1 / ZOOM)))
        self.tools.addWidget(self._tool("fit", "Show all (0)", self._fit))
        self.tools.addWidget(self.pan)
        self.tools.addSpacing(PADDING)
        self.tools.addWidget(self.pin)
        self.tools.addSpacing(PADDING)
        self.tools.addWidget(self._tool("copy", "Copy picture (Ctrl+C)", self.copy_picture))
        self.tools.addWidget(self._tool("save", "Save as PNG, SVG or CSV… (Ctrl+S)", self.ask_where))
        foot = spaced(QVBoxLayout(), 0, (PADDING + GRID, GRID, PADDING, PADDING))
        foot.addWidget(self.told)
        foot.addWidget(self.notes)
        box = spaced(QVBoxLayout(self))
        box.addLayout(self.tools)
        box.addWidget(self.stack, 1)
        box.addLayout(foot)

    def _tool(
        self, icon: str, text: str, run: Callable[[], None], key: str = "", checkable: bool = False
    ) -> QToolButton:
        button = QToolButton(self)
        icons.follow(button, icon)
        button.setToolTip(text)
        button.setAccessibleName(text.partition(" (")[0])
        button.setCheckable(checkable)
        button.setMinimumSize(TARGET, TARGET)
        button.clicked.connect(lambda: run())
        if key:
            self._key_for(key, button.click)
        return button

    def _add_keys(self) -> None:
        for key, run in (
            ("Esc", self.close),
            ("+", lambda: self._zoom(ZOOM)),
            ("=", lambda: self._zoom(ZOOM)),
            ("-", lambda: self._zoom(1 / ZOOM)),
            ("0", self._fit),
            ("L", lambda: self._do(lambda sheet: sheet.switch_log())),
            ("PgUp", lambda: self._do(lambda sheet: sheet.turn(-1))),
            ("PgDown", lambda: self._do(lambda sheet: sheet.turn(1))),
            ("Ctrl+C", self.copy_picture),
            ("Ctrl+Shift+C", self.copy_numbers),
            ("Ctrl+S", self.ask_where),
            ("Ctrl+W", self.close),
            ("F1", lambda: self._desk.support.show_help(_HELP)),
        ):
            self._key_for(key, run)
        add_menu_key(self)

    def _key_for(self, key: str, run: Callable[[], object]) -> None:
        QShortcut(QKeySequence(key), self).activated.connect(lambda: run())

    def _restore(self, main: QWidget) -> None:
        """Restores it as it was left, else in the middle of the main window, and no larger than the screen."""
        if not self.restoreGeometry(self._desk.settings.plot_geometry(self._key)):
            room = self.screen().availableSize()
            wanted = _SIZE.expandedTo(main.size() * 0.6)
            self.resize(wanted.boundedTo(QSize(room.width() * 9 // 10, room.height() * 85 // 100)))
            self.move(main.frameGeometry().center() - self.rect().center())

    # What is shown

    def show_content(self, content: Content | None) -> None:
        """Follows, unless what is shown is to be kept."""
        self._newest = content
        if not self.pin.isChecked() or self._shown is None:
            self._show()

    def focus_plot(self) -> None:
        """Keys are for the plot."""
        self._do(lambda sheet: sheet.setFocus())

    def mark(self, selected: int | None, pointed: int | None) -> None:
        if isinstance(self.sheet, ProfileSheet):
            self.sheet.mark(selected, pointed)

    def _show(self) -> None:
        content = self._shown = self._newest
        self.pin.setEnabled(content is not None)
        if content is None:
            self.stack.setCurrentWidget(self.nothing)
            self._title_it(self._title)
            self._say("")
            return
        sheet = self._sheet_for(content)
        show_in(sheet, content)
        self.stack.setCurrentWidget(sheet)
        for other in self.sheets.values():
            for widget in other.controls() if other is not sheet else ():
                widget.hide()
        self._title_it(sheet.title)
        self.notes.setText(sheet.notes)
        self.notes.setVisible(bool(sheet.notes))

    def _sheet_for(self, content: Content) -> PlotSheet:
        kind = type(content)
        if kind not in self.sheets:
            sheet = self.sheets[kind] = sheet_for(content, self._desk.appearance.theme)
            sheet.said.connect(self._say)
            sheet.asked.connect(lambda at: self.menu().popup(at))
            sheet.dress(self._desk.appearance.theme)
            self.stack.addWidget(sheet)
            sheet.set_pans(self.pan.isChecked())
            for widget in sheet.controls():
                self._controls.addWidget(widget)
        return self.sheets[kind]

    def _title_it(self, text: str) -> None:
        self.name.setText(text)
        self.name.setToolTip(text)
        self.setWindowTitle(f"{text} – Errorflow")

    def _say(self, text: str) -> None:
        self.told.setText(text)

    def dress(self, theme: Theme) -> None:
        for sheet in self.sheets.values():
            sheet.dress(theme)

    # Tools

    def _do(self, run: Callable[[PlotSheet], object]) -> None:
        if self.sheet is not None:
            run(self.sheet)

    def _zoom(self, factor: float) -> None:
        self._do(lambda sheet: sheet.zoom(factor))

    def _fit(self) -> None:
        self._do(lambda sheet: sheet.fit())

    def _on_pan(self) -> None:
        for sheet in self.sheets.values():
            sheet.set_pans(self.pan.isChecked())

    def _on_pin(self) -> None:
        if not self.pin.isChecked():
            self._show()

    def menu(self) -> QMenu:
        """Makes the menu of what one can do with the plot, and which of its layers are seen."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet = self.sheet
        for label, seen in () if sheet is None else sheet.labels:
            action = QAction(label.replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(seen)
            action.triggered.connect(lambda _, label=label: self._do(lambda sheet: sheet.toggle(label)))
            menu.addAction(action)
        menu.addSeparator()
        for text, run in (
            ("Show all", self._fit),
            (COPY_PICTURE, self.copy_picture),
            (COPY_NUMBERS, self.copy_numbers),
            ("Save as PNG, SVG or CSV…", self.ask_where),
        ):
            action = QAction(text, menu)
            action.triggered.connect(lambda _, run=run: run())
            action.setEnabled(sheet is not None)
            menu.addAction(action)
        return menu

    def copy_picture(self) -> None:
        self._do(lambda sheet: QGuiApplication.clipboard().setImage(sheet.image()))

    def copy_numbers(self) -> None:
        """Copies CSV; of a large plane that takes a while."""
        if self.sheet is None:
            return
        make = self.sheet.numbers()

        def copied(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._say("The numbers are copied")

        self._desk.jobs.start(COPYING, "Copying the numbers", lambda _: make(), copied, self._fail)

    def ask_where(self) -> None:
        if self.sheet is None:
            return
        dialog = QFileDialog(self, "Save the plot", self._desk.settings.export_folder(self._desk.document.folder))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(FILTERS)
        dialog.selectFile(file_name(self.sheet.title))
        dialog.fileSelected.connect(lambda name: self.save(with_ending(Path(name), dialog.selectedNameFilter())))
        dialog.open()

    def save(self, path: Path) -> None:
        """Saves by its name; what takes long is done in the background."""
        sheet = self.sheet
        if sheet is None:
            return
        ending, beside = path.suffix.lower(), self._desk.document.folder
        if ending == ".csv":
            made: Callable[[], bytes | str] = sheet.numbers()
        elif ending == ".svg":
            drawn = sheet.svg()
            made = lambda: drawn  # noqa: E731 - one of three ways to make it
        else:
            image = sheet.image()
            made = lambda: png(image)  # noqa: E731 - one of three ways to make it

        def write(_progress: Progress) -> None:
            write_atomic(path, made())

        def written(_: None) -> None:
            self._desk.settings.remember_export(path.parent, beside)
            self._say(f"Saved as {path.name}")

        self._desk.jobs.start(SAVING, "Saving the plot", write, written, self._fail)

    def _fail(self, error: ErrorflowError) -> None:
        self._say(f"{error.message} {error.hint}")

    # Its life

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._desk.plots.come(self)
        super().changeEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The main window is closed; if it is only minimised, the system says so itself."""
        if event.type() == QEvent.Type.Hide and not event.spontaneous():
            self.close()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_held(event):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closes; nothing is held for a window that is not seen."""
        self._desk.settings.set_plot_geometry(self._key, self.saveGeometry())
        super().closeEvent(event)
        self._newest = None
        self.pin.setChecked(False)
        self.hide()
        self._show()
        self._forget()
        self._desk.plots.go(self)
        self.closed.emit()

    def _forget(self) -> None:
        for sheet in self.sheets.values():
            for widget in sheet.controls():
                self._controls.removeWidget(widget)
                widget.deleteLater()
            self.stack.removeWidget(sheet)
            sheet.deleteLater()
        self.sheets = {}


def _label(role: str) -> QLabel:
    """Makes one line that takes the room that there is."""
    label = text_label(plain=True)
    label.setProperty("role", role)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return label


# Which sheet shows what.


def sheet_for(content: Content, theme: Theme) -> PlotSheet:
    """A new one."""
    match content:
        case FigureContent():
            return FigureSheet(theme)
        case MapContent():
            return MapSheet(theme)
        case ProfileContent():
            return ProfileSheet(theme)


def show_in(sheet: PlotSheet, content: Content) -> None:
    """Content goes with the sheet that was made for its kind."""
    match sheet, content:
        case FigureSheet(), FigureContent():
            sheet.show_content(content)
        case MapSheet(), MapContent():
            sheet.show_content(content)
        case ProfileSheet(), ProfileContent():
            sheet.show_content(content)
