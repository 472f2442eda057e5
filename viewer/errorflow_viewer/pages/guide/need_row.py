"""Need of a comparison: what stands for it, or how to get it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayoutItem,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.case.scenarios.found import FoundFile, Kind
from errorflow.case.scenarios.scenario import Need
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.drop import dropped_files
from errorflow_viewer.kit.layouts import Items, spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import GROWS_LESS

# What may be a folder, and what may be a file.
_FOLDERS: frozenset[Kind] = frozenset(("npu", "npu-quantized", "npy", "npy-quantized", "arrays", "raw", "array"))
_FILES_TOO: frozenset[Kind] = frozenset(("arrays", "array"))
LABELS, BUTTONS = 232, 184
# Round what stands for it, where the keyboard is shown.
RING = 3
# Of a label above what it is the label of, and how far that is below it; of what is told beside a label.
NARROW, BELOW, READABLE = 120, 2, 280
_OPEN, _ONE_OPEN = "Several fit: choose one…", "One could be meant: choose it…"


class NeedRow(QFrame):
    """Label on the left, what stands for the need in the middle, and the ways to choose something else."""

    changed = Signal(object)  # Path, or None: nothing stands for it any more

    def __init__(self, need: Need) -> None:
        super().__init__()
        self.need = need
        self.folder = str(Path.home())
        self.setProperty("role", "need")
        self.setAcceptDrops(True)
        self.mark = QLabel("○")
        self.mark.setFixedWidth(16)
        label = self.label = QLabel(need.label if need.required else f"{need.label} (optional)")
        label.setProperty("role", "strong")
        label.setWordWrap(True)
        label.setProperty(GROWS_LESS, True)
        label.setFixedWidth(LABELS)
        label.setToolTip(f"{need.what}\n{need.obtain}")
        self.box = _Calm()
        self.box.setAccessibleName(need.label)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(20)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(self._on_chosen)
        self.note = text_label(muted=True, wraps=True, selectable=True)
        self.copy = QPushButton("Copy how")
        self.copy.setProperty("link", True)
        self.copy.setToolTip(need.command)
        if need.command:
            self.copy.setAccessibleName(f"Copy the command that makes the {need.label}: {need.command}")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(need.command))
        self._lay_out(label)

    def _lay_out(self, label: QLabel) -> None:
        below = QHBoxLayout()
        below.setSpacing(PADDING)
        below.addWidget(self.note, 1)
        below.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)
        told = QWidget()
        middle = spaced(QVBoxLayout(told), 2, (RING, RING, RING, RING))
        middle.addWidget(self.box)
        middle.addLayout(below)
        middle.addStretch(1)  # buttons may be higher
        parts = _Parts()
        parts.setContentsMargins(PADDING, GRID, PADDING, GRID)
        for widget in (self.mark, label, told, self._buttons()):
            parts.addWidget(widget)
        self.setLayout(parts)

    def _buttons(self) -> QWidget:
        side = QWidget()
        side.setFixedWidth(BUTTONS)
        row = spaced(QHBoxLayout(side), GRID)
        row.addStretch(1)
        kinds = self.need.choices
        row.addWidget(self._button("Folder…", self._ask_for_folder, bool(kinds & _FOLDERS)))
        row.addWidget(self._button("File…", self._ask_for_file, bool(kinds - _FOLDERS or kinds & _FILES_TOO)))
        self.clear = QToolButton()
        self.clear.setToolTip("Leave it out")
        self.clear.setAccessibleName(f"Leave out the {self.need.label}")
        self.clear.clicked.connect(lambda: self.changed.emit(None))
        icons.follow(self.clear, "close")
        _keep_place(self.clear)
        row.addWidget(self.clear)
        return side

    def _button(self, text: str, pressed: Callable[[], None], fits: bool) -> QPushButton:
        """Makes a button. Those of all rows stand below each other, so one that does not fit leaves its place empty."""
        button = text_button(text, lambda: pressed())
        button.setAccessibleName(f"{text} for {self.need.label}")
        _keep_place(button)
        if not fits:
            button.hide()
        return button

    def show_choice(self, path: Path | None, note: str, fitting: Sequence[FoundFile], names: Sequence[str]) -> None:
        """Shows what stands for it, what is to be known of that, and what else could."""
        self.box.clear()
        if path is None and fitting:
            self.box.addItem(_OPEN if len(fitting) > 1 else _ONE_OPEN, None)
        for found, name in zip(fitting, names, strict=True):
            self.box.addItem(name, found.path)
            self.box.setItemData(self.box.count() - 1, f"{found.path}\n{found.text}", Qt.ItemDataRole.ToolTipRole)
        if path is not None:
            number = next((at for at, found in enumerate(fitting) if found.path == path), -1)
            if number < 0:
                self.box.addItem(str(path), path)
                number = self.box.count() - 1
            self.box.setCurrentIndex(number)
        missing = path is None
        self.box.setVisible(bool(self.box.count()))
        self.note.setText(f"{self.need.what} {self.need.obtain}" if missing and not fitting else note)
        self.note.setVisible(bool(self.note.text()))
        self.copy.setVisible(missing and not fitting and bool(self.need.command))
        self.clear.setVisible(not missing)
        self.mark.setText("○" if missing else "●")
        state = "missing" if missing else str(path)
        self.setAccessibleName(f"{self.need.label}: {state}. {self.note.text()}")
        self.setProperty("missing", missing and self.need.required)

        self._level()

    def _level(self) -> None:
        """Label and mark on the line of what stands beside them: text in a field is lower than its edge."""
        rest = self.box.sizeHint().height() - self.fontMetrics().height()
        down = 0 if self.box.isHidden() else max(rest // 2, 0)
        for text in (self.mark, self.label):
            text.setContentsMargins(0, down, 0, 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.layout() is not None:
            self._level()

    def _on_chosen(self, number: int) -> None:
        path = self.box.itemData(number)
        if path is not None:
            self.changed.emit(path)

    def _ask_for_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, self.need.label, self.folder)
        if path:
            self.changed.emit(Path(path))

    def _ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self.need.label, self.folder)
        if path:
            self.changed.emit(Path(path))

    # Events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(dropped_files(event.mimeData())) == 1:
            event.acceptProposedAction()
            self._light(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._light(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._light(False)
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.changed.emit(files[0])

    def _light(self, on: bool) -> None:
        self.setProperty("aimed", on)
        self.style().unpolish(self)
        self.style().polish(self)


class _Parts(Items):
    """Mark, label, what stands for it and buttons, side by side; where there is little room, the third is below."""

    def _find_least(self) -> QSize:
        mark, label, told, side = (item.minimumSize() for item in self._items)
        wide = max(min(label.width(), NARROW) + side.width() + GAP, told.width()) + mark.width() + GAP
        margins = self.contentsMargins()
        high = max(mark.height(), side.height()) + margins.top() + margins.bottom()
        return QSize(wide + margins.left() + margins.right(), high)

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        room, bottom = rect.marginsRemoved(self.contentsMargins()), self.contentsMargins().bottom()
        mark, label, told, side = (_Part(item, RING if at == 2 else 0) for at, item in enumerate(self._items))
        x, y, end = room.x() + mark.wide + GAP, room.y(), room.right() + 1
        is_wide = x + label.wide + max(told.wide, READABLE) + side.wide + 2 * GAP <= end
        if not is_wide:
            label.wide = max(end - x - side.wide - GAP, 0)
        head = max(mark.high, label.high, side.high)
        left, top = (x + label.wide + GAP, y) if is_wide else (x, y + head + BELOW)
        told.wide = end - left - (side.wide + GAP if is_wide else 0)
        if moves:
            mark.place(room.x(), y)
            label.place(x, y)
            told.place(left, top)
            side.place(end - side.wide, y)
        return max(y + head, top + told.high) - rect.y() + bottom


class _Part:
    """Part as wide as it has to be at least, unless it is given more."""

    def __init__(self, item: QLayoutItem, rim: int = 0) -> None:
        """`rim`: so far it reaches beyond its place."""
        self._item, self._rim = item, rim
        self.wide = item.minimumSize().width() - 2 * rim

    @property
    def high(self) -> int:
        item, wide = self._item, self.wide + 2 * self._rim
        whole = item.heightForWidth(wide) if item.hasHeightForWidth() else item.sizeHint().height()
        return whole - 2 * self._rim

    def place(self, left: int, top: int) -> None:
        rim = self._rim
        self._item.setGeometry(QRect(left, top, self.wide, self.high).adjusted(-rim, -rim, rim, rim))


class _Calm(QComboBox):
    """Box whose wheel scrolls the page, unless the user is at the box."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the wheel alone gives no focus

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _keep_place(button: QWidget) -> None:
    """While it is hidden."""
    policy = button.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    button.setSizePolicy(policy)
