"""Two pipelines side by side: what each saved above, what came of it below."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLabel,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.report.alignment import alignment_csv, alignment_json
from errorflow.study.align.call import Wish, aligned, call_of
from errorflow.study.align.model import Alignment
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.commands.copy_save.tables import add_read
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.layouts import call_line, page_foot, scrolled, spaced, text_button, text_label
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.wording import in_window
from errorflow_viewer.pages.align.needs import NEEDS
from errorflow_viewer.pages.align.rows import Lines
from errorflow_viewer.pages.align.tolerances import Tolerances
from errorflow_viewer.pages.guide.need_row import NeedRow
from errorflow_viewer.pages.guide.shapes_row import ShapesRow

KEY = "align"
WIDTH = 1160
_STORY = (
    "Much of what is taken for a loss by quantization happens before the model or behind it. Let both pipelines save "
    "the same steps for one and the same picture."
)


class AlignPage(QWidget):
    """Keeps what was chosen for as long as the window is open."""

    left = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/align-two-pipelines.md")
        self._desk = desk
        self.setAccessibleName("Align two pipelines")
        self.paths: dict[str, Path] = {}
        self.found: Alignment | None = None
        self._shapes: tuple[str, ...] = ()
        # What is being found out, or stands below.
        self._asked: Wish | None = None
        # The user chose the model; else it is the one on view.
        self._is_own_model = False
        self.rows = {need.key: NeedRow(need) for need in NEEDS}
        for key, row in self.rows.items():
            row.changed.connect(lambda path, key=key: self.give(key, path))
        self.tolerances = Tolerances()
        self.tolerances.changed.connect(self._refresh)
        self.shapes = ShapesRow()
        self.shapes.changed.connect(self._give_shapes)
        self.verdict, self.advice = QLabel(), QLabel()
        self.lines = Lines()
        self.lines.setAccessibleName("What came of it, step by step")
        self.lines.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lines.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.lines.customContextMenuRequested.connect(self._show_menu)
        self._result = self._make_result()
        self._result.hide()
        box = spaced(QVBoxLayout(self))
        box.addWidget(self._scrolled(), 1)
        box.addWidget(self._make_foot())
        text = "Setting both pipelines side by side"
        alignment = looked(KEY, text, lambda _: self.wish, aligned, self.show_found, self._fail)
        desk.derived.add(replace(alignment, by_itself=False, holds=lambda *_: True))
        self._refresh()

    # What is chosen

    def give(self, key: str, path: Path | None) -> None:
        if key == "model":
            self._is_own_model = path is not None
        self._put(key, path)
        self._refresh()

    def take_model(self) -> None:
        """That on view, if nobody chose one; it can only help."""
        model = self._desk.document.model
        if not self._is_own_model:
            is_of_use = model is not None and model.format == "ONNX model"
            self._put("model", model.path if model is not None and is_of_use else None)
        self._refresh()

    def _put(self, key: str, path: Path | None) -> None:
        if path is None:
            self.paths.pop(key, None)
        else:
            self.paths[key] = path

    @property
    def wish(self) -> Wish | None:
        """None: it lacks something."""
        if not {"a", "b"} <= set(self.paths) or self.tolerances.lack:
            return None
        picture, model = self.paths.get("picture"), self.paths.get("model")
        return Wish(self.paths["a"], self.paths["b"], picture, model, self._shapes, self.tolerances.values)

    def _give_shapes(self, shapes: tuple[str, ...] | None) -> None:
        self._shapes = () if shapes is None else shapes
        self._refresh()

    def _forget(self) -> None:
        """What runs or stands below is not about what is chosen now."""
        self._asked = self.found = None
        self._desk.derived.stop(KEY)
        self._result.hide()

    def _refresh(self) -> None:
        if self._asked is not None and self._asked != self.wish:
            self._forget()
        for key, row in self.rows.items():
            row.folder = self._desk.settings.last_folder
            row.show_choice(self.paths.get(key), "", (), ())
        self.shapes.setVisible(bool(self._shapes) or any(map(_is_raw, self.paths.values())))
        self.shapes.show_shapes(self._shapes, (), "")
        wish = self.wish
        lacking = next((key.upper() for key in ("a", "b") if key not in self.paths), "")
        lack = f"Choose what {lacking} saved, or drop its folder onto its line." if lacking else self.tolerances.lack
        self.call.setText(lack if wish is None else call_of(wish))
        self.copy_call.setVisible(wish is not None)
        self.align.setEnabled(wish is not None)
        self.save.setEnabled(self.found is not None)

    # What comes of it

    def start(self) -> None:
        self._asked = self.wish
        if self._asked is not None:
            self._desk.derived.ask(KEY)

    def show_found(self, found: Alignment) -> None:
        self.found = found
        self._show_rows(found)
        self._refresh()
        self._desk.document.worked_out.emit(found)

    def menu(self) -> QMenu:
        """What can be taken away of the result."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_read(menu, self._desk, self._read, "alignment", self.found is not None)
        return menu

    def _read(self, done: Callable[[Table], None]) -> None:
        if self.found is not None:
            head, *rows = csv.reader(alignment_csv(self.found).splitlines())
            done(Table(head, rows))

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.lines.mapToGlobal(spot))

    def _show_rows(self, found: Alignment) -> None:
        self.verdict.setText(found.text)
        rest = " ".join(filter(None, (found.advice, *found.notes)))
        self.advice.setText(rest)
        self.advice.setVisible(bool(rest))
        self.lines.show_rows(found.rows)
        self._result.show()
        self._column.adjustSize()
        self.area.verticalScrollBar().setValue(self._result.y())

    def _fail(self, error: ErrorflowError) -> None:
        self.found = None
        self._show_rows(Alignment((), None, in_window(error.message), "", in_window(error.hint)))
        self._refresh()

    def _ask_where(self) -> None:
        settings, beside = self._desk.settings, self.paths["a"].parent if "a" in self.paths else None
        start = Path(settings.export_folder(beside)) / "alignment.csv"
        dialog = QFileDialog(self, "Save the alignment", str(start), "Tables (*.csv);;For programs (*.json)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix("csv")
        dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix("json" if "json" in kind else "csv"))
        dialog.fileSelected.connect(lambda chosen: self.save_to(Path(chosen)))
        dialog.fileSelected.connect(lambda chosen: settings.remember_export(Path(chosen).parent, beside))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save_to(self, target: Path) -> None:
        if self.found is None:
            return
        text = (alignment_json if target.suffix.lower() == ".json" else alignment_csv)(self.found)
        self._desk.jobs.start(
            f"{KEY} file",
            f"Writing {target.name}",
            lambda _: write_atomic(target, text),
            lambda _: self._desk.say(f"Wrote {target}"),
            lambda error: self._desk.say(f"{error.message} {error.hint}"),
        )

    # How it is laid out

    def _make_result(self) -> QWidget:
        self.verdict.setProperty("role", "title")
        self.advice.setProperty("muted", True)
        for label in (self.verdict, self.advice):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        result = QWidget()
        column = spaced(QVBoxLayout(result), PADDING, (PADDING, GAP, PADDING, 0))
        for widget in (self.verdict, self.advice, self.lines):
            column.addWidget(widget)
        return result

    def _scrolled(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        inside = spaced(QVBoxLayout(column), 0, (GAP, GAP, GAP, GAP))
        title = QLabel("Align two pipelines")
        title.setFont(font(DISPLAY, strong=True))
        story = text_label(_STORY, muted=True, wraps=True)
        inside.addWidget(title)
        inside.addSpacing(PADDING)
        inside.addWidget(story)
        inside.addSpacing(PADDING)
        for row in (*self.rows.values(), self.tolerances, self.shapes):
            inside.addWidget(row)
        inside.addWidget(self._result)
        inside.addStretch(1)
        self.area = scrolled(column)
        page = self.area.widget()
        assert page is not None, "it was just given one"
        self._column = page
        return self.area

    def _make_foot(self) -> QFrame:
        self.call, self.copy_call = call_line()
        self.save = text_button("Save…", self._ask_where, "The rows as a table (.csv), or for programs (.json)")
        self.back = text_button("Back", lambda: self.left.emit())
        self.align = text_button("Align", self.start)
        self.align.setProperty("primary", True)
        return page_foot(WIDTH, self.call, self.copy_call, self.save, self.back, self.align)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.align.isEnabled():
            self.start()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _is_raw(path: Path) -> bool:
    """Whether it holds bare values, whose shapes somebody has to say."""
    try:
        return path.suffix == ".bin" or (path.is_dir() and any(file.suffix == ".bin" for file in path.iterdir()))
    except OSError:  # it is gone, which is told when it is opened
        return False
