"""Messages above the graph: what happened, what to do about it, details on demand. Never in the way of work."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, dataclass
from errorflow.base.sample import Sample, sample_of
from errorflow.graph.model import Model
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.voice import VOICE
from errorflow_viewer.kit.elided import Clamped, Scrolled
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import PADDING, Banner, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.wording import in_window

# The family of what was written where one wanted it.
WRITTEN = "written"
Kind = Literal["error", "warning", "info"]
# As readers hear it; an error is something else in this window.
_CALLED: dict[Kind, str] = {"error": "Problem", "warning": "Warning", "info": "Message"}
# Older ones are folded away, and the oldest give way; nobody reads a wall of messages.
SHOWN, MOST = 2, 6
# In a window lower than so many logical px the newest alone is shown, and two lines of it: the graph needs the room.
# An error is read in full wherever it is.
ROOMY = 800
# So many pixels at 100 % a text has at least beside its buttons; else they stand below it. Sign, cross and gaps.
NARROW, BESIDE = 240, 80
# Logical px that all of them ask for at least, and the share of the window's height that they take at most: they are
# scrolled then, else large text and two messages would ask for a window higher than its screen.
LOW, WIDE, SHARE = 40, 260, 3
# Logical px that details take at most: what is longer scrolls.
TALLEST = 120


@dataclass(frozen=True, slots=True)
class Notice:
    """One message. A new one with the key of a shown one takes its place."""

    kind: Kind
    text: str
    hint: str = ""
    details: str = ""
    key: str = ""
    button: str = ""
    pressed: Callable[[], None] | None = None
    # It is about the model on view, or about an attempt to open one, and goes with it.
    of_model: bool = False
    # Pressing the button leaves it there: it says more than the button shows.
    stays: bool = False
    # More buttons, each with what it does.
    ways: tuple[tuple[str, Callable[[], None]], ...] = ()
    # Taking one of those leaves it there.
    ways_stay: bool = False
    # Of messages with the same one the newest takes the place of all others.
    family: str = ""


def notice_of(error: ErrorflowError, key: str, context: str = "") -> Notice:
    """An error of the model, or of what was to be one, as a message; its causes are the details."""
    causes: list[str] = []
    cause = error.__cause__
    while cause is not None and len(causes) < 10:
        causes.append(f"{type(cause).__name__}: {cause}"[:2000])
        cause = cause.__cause__
    details = "\n".join(part for part in (context, *causes) if part)
    return Notice("error", in_window(error.message), in_window(error.hint), details, key, of_model=True)


def notice_on(model: Model, show: Callable[[int], None]) -> Notice | None:
    """Makes what must be known of a sample, or of a file that is no network; None: it is any other network."""
    sample = sample_of(model.path)
    if sample is not None:
        return _story_of(sample, model, show)
    if not any(label == "Content" for label, _ in model.facts) or not model.problems:
        return None
    sentence, _, rest = model.problems[0].text.partition(": ")
    return Notice("info", f"{sentence}." if rest else sentence, _sentence(rest), key="content", of_model=True)


def _story_of(sample: Sample, model: Model, show: Callable[[int], None]) -> Notice:
    truth = sample.truth()
    nodes = [node for name in truth.culprits if (node := model.graph.node_index(name)) is not None]
    return Notice(
        "info",
        f"{sample.title}: {sample.story}",
        f"{100 * truth.accuracy.in_float:.0f} % are right in float, {100 * truth.accuracy.quantized:.0f} % in int8.",
        key="content",
        button=("Show the culprit" if len(nodes) == 1 else "Show the first culprit") if nodes else "",
        pressed=(lambda: show(nodes[0])) if nodes else None,
        of_model=True,
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


class Banners(QScrollArea):
    """The messages that are shown, newest on top."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._inside = QWidget()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self._inside)
        self._box = spaced(QVBoxLayout(self._inside))
        self.rows: list[BannerRow] = []
        self._unfolded = False
        self.fold = text_button("", self._unfold)
        self.fold.setProperty("link", True)
        below = self._below = QHBoxLayout()
        below.setContentsMargins(PADDING * 3 // 2, 0, PADDING, 0)
        below.addWidget(self.fold)
        below.addStretch(1)
        self._box.addLayout(below)
        self.hide()

    def show_notice(self, notice: Notice) -> None:
        key = notice.key if notice.key else notice.text
        self.dismiss(key)
        for like in [row for row in self.rows if notice.family and row.notice.family == notice.family]:
            self._remove(like)
        row = BannerRow(notice, self._theme, lambda: self.dismiss(key))
        self.rows.insert(0, row)
        row.fit(self.width())
        self._box.insertWidget(0, row)
        for old in self.rows[MOST:]:
            self._remove(old)
        self._unfolded = False
        self._fold()
        self.show()
        VOICE.say(row, _read_aloud(notice), urgent=notice.kind == "error")

    def dismiss(self, key: str) -> None:
        for row in [row for row in self.rows if key in (row.notice.key, row.notice.text)]:
            self._remove(row)

    def hold_back(self, key: str, held: bool) -> None:
        """Holds back for a while what is of no use now."""
        rows = [row for row in self.rows if row.notice.key == key and row.held != held]
        for row in rows:
            row.held = held
        if rows:
            self._fold()

    def step_back(self, held: bool) -> None:
        """Steps back: what is only worth knowing of the model is not shown beside what takes the place of its graph."""
        for row in self.rows:
            if row.notice.of_model and row.notice.kind == "info":
                row.steps_back = held
        self._fold()

    def leave_model(self) -> None:
        """Takes away what is said about a model that is no longer looked at."""
        for row in [row for row in self.rows if row.notice.of_model]:
            self._remove(row)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for row in self.rows:
            row.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays out in all the width, whether a scroll bar takes some or not: else one row could make it come and go for
        ever.
        """
        super().resizeEvent(event)
        self._fit_rows()

    def _fit_rows(self) -> None:
        for row in self.rows:
            row.fit(self.width())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return min(self._box.heightForWidth(width), max(self.window().height() // SHARE, px(LOW)))

    def sizeHint(self) -> QSize:
        whole = self._box.sizeHint()
        return QSize(whole.width(), self.heightForWidth(max(self.width(), self.minimumSizeHint().width())))

    def minimumSizeHint(self) -> QSize:
        least = self._box.minimumSize()
        return QSize(min(least.width(), WIDE), min(least.height(), px(LOW)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if (around := self.parentWidget()) is not None:
            around.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if (around := self.parentWidget()) is not None:
            around.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() == QEvent.Type.LayoutRequest:  # other words, or larger ones
            self._fit_rows()
            self.updateGeometry()
        elif watched is self.parentWidget() and event.type() == QEvent.Type.Resize:  # their share is another one
            self._fold()
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def _unfold(self) -> None:
        self._unfolded = True
        self._fold()

    def _fold(self) -> None:
        """The newest are seen, and the newest error; the others when they are asked for."""
        is_low = self.window().height() < px(ROOMY)
        most = 1 if is_low else SHOWN
        free = [row for row in self.rows if not (row.held or row.steps_back)]
        error = next((row for row in free if row.notice.kind == "error"), None)
        seen = [row for place, row in enumerate(free) if self._unfolded or place < most or row is error]
        for row in self.rows:
            row.clamp(is_low)
            row.setVisible(row in seen)
        more = len(free) - len(seen)
        self.fold.setText(f"{more} more message" if more == 1 else f"{more} more messages")
        is_beside = is_low and more and free[0].has_room(self.fold, self.width())
        self._place_fold(free[0].side if is_beside else self._below)
        self.fold.setVisible(more > 0)

    def _place_fold(self, where: QHBoxLayout) -> None:
        """Places the fold below them, or beside the only one."""
        if where.indexOf(self.fold) < 0:
            where.insertWidget(0, self.fold, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def _remove(self, row: "BannerRow") -> None:
        self.rows.remove(row)
        self._place_fold(self._below)  # else it would go with the row
        self._box.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._fold()
        self.setVisible(bool(self.rows))


def _read_aloud(notice: Notice) -> str:
    """Writes its text and its hint as sentences, also where the first is a path."""
    end = "" if notice.text.endswith((".", "!", "?")) else "."
    return f"{notice.text}{end} {notice.hint}" if notice.hint else notice.text


class BannerRow(QFrame):
    """Sign, text, buttons, and a cross."""

    def __init__(self, notice: Notice, theme: Theme, dismiss: Callable[[], None]) -> None:
        super().__init__()
        self.notice = notice
        # It is of no use now; and what takes the place of the graph has the room.
        self.held = self.steps_back = False
        self.setProperty("notice", notice.kind)
        self.setAccessibleName(f"{_CALLED[notice.kind]}: {_read_aloud(notice)}")
        self.mark = QLabel()
        self.text = Clamped(notice.text)
        self.text.setProperty("role", "strong")
        self.hint = Clamped(notice.hint)
        self.details = text_label(notice.details, wraps=True)
        for label in (self.text, self.hint, self.details):
            label.setTextFormat(Qt.TextFormat.PlainText)  # a file name must not become markup
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details.setProperty("role", "label")
        self.details_area = Scrolled(self.details, TALLEST)
        self.details_area.setAccessibleName("Details")
        self._is_clamped = False
        self.more = QPushButton("Details")
        self.more.setProperty("link", True)
        self.more.setCheckable(True)
        self.more.toggled.connect(self._show_details)
        self.close_button = QToolButton()
        self.close_button.setToolTip("Dismiss")
        self.close_button.setAccessibleName("Dismiss this message")
        self.close_button.clicked.connect(lambda: dismiss())
        icons.follow(self.close_button, "close")
        ways = [self._make_button(text, pressed, not notice.ways_stay, dismiss) for text, pressed in notice.ways]
        first = notice.pressed
        button = None if first is None else self._make_button(notice.button, first, not notice.stays, dismiss)
        self._lay_out([*ways, *([] if button is None else [button])])
        # Only now: shown before they have a parent, they would be windows of their own for a moment.
        self.hint.setVisible(bool(notice.hint))
        self._show_details(False)
        self._offer_more()
        for label in (self.text, self.hint):
            label.cut.connect(self._offer_more)
        self.set_theme(theme)

    def buttons(self) -> list[QPushButton]:
        return self.findChildren(QPushButton)

    def set_theme(self, theme: Theme) -> None:
        colors: Banner = getattr(theme, self.notice.kind)
        name = "problems" if self.notice.kind == "warning" else self.notice.kind
        self.mark.setPixmap(icons.pixmap(name, colors.mark, px(20), self.devicePixelRatioF()))

    def clamp(self, is_low: bool) -> None:
        """Two lines of what is no error, where there is little room, until more is asked for."""
        self._is_clamped = is_low and self.notice.kind != "error"
        self._limit()

    def _limit(self) -> None:
        lines = 1 if self.notice.hint else 2
        for label in (self.text, self.hint):
            label.limit(lines if self._is_clamped and not self.more.isChecked() else 0)

    def _show_details(self, shown: bool) -> None:
        has_details = bool(self.notice.details)
        self.details.setVisible(shown and has_details)
        self.details_area.setVisible(shown and has_details)
        self._limit()

    def _offer_more(self, _cut: bool = False) -> None:
        is_cut = self.text.is_cut or self.hint.is_cut
        self.more.setVisible(bool(self.notice.details) or is_cut or self.more.isChecked())

    def _make_button(
        self, text: str, pressed: Callable[[], None], leaves: bool, dismiss: Callable[[], None]
    ) -> QPushButton:
        button = QPushButton(text)
        if leaves:
            button.clicked.connect(lambda: dismiss())
        button.clicked.connect(lambda: pressed())
        return button

    def _lay_out(self, buttons: list[QPushButton]) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        for part in (self.text, self.hint, self.details_area):
            words.addWidget(part)
        row = spaced(QHBoxLayout(self), PADDING, (PADDING * 3 // 2, PADDING - 2, PADDING, PADDING - 2))
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.mark, 0, top)
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(PADDING)
        self._body.addLayout(words, 1)
        side = self.side = QHBoxLayout()
        side.setSpacing(PADDING)
        for button in (self.more, *buttons):
            side.addWidget(button, 0, top | Qt.AlignmentFlag.AlignLeft)
        side.addStretch(1)
        self._body.addLayout(side)
        row.addLayout(self._body, 1)
        row.addWidget(self.close_button, 0, top)

    @property
    def is_narrow(self) -> bool:
        """Whether its buttons stand below the text."""
        return self._body.direction() == QBoxLayout.Direction.TopToBottom

    def has_room(self, other: QPushButton, width: int) -> bool:
        """Whether there is room for one more button in the row of its own."""
        own = [each for each in self.buttons() if each is not other and (each is self.more or not each.isHidden())]
        return sum(each.sizeHint().width() + PADDING for each in (*own, other)) <= width - px(BESIDE)

    def fit(self, width: int) -> None:
        """Fits; where there is little room, the buttons stand below the text rather than leave it a narrow column."""
        side = self.side.sizeHint().width()
        if self._is_clamped and self.more.isHidden():  # it would come with a narrow text, and go again with a wide one
            side += self.more.sizeHint().width() + PADDING
        narrow = width - px(BESIDE) - side < px(NARROW)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._body.direction() != way:
            self._body.setDirection(way)
