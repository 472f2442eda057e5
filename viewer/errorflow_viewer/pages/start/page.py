"""The start page: how to open a model, what was opened last, samples."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from importlib.resources import files
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from errorflow.base.language import ENGLISH, LANGUAGES, current
from errorflow.base.sample import SAMPLES
from errorflow_viewer.commands.api import Entry
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import Flow, empty, flowing, spaced, text_button, text_label
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING, RADIUS, Theme
from errorflow_viewer.kit.recent import Recent, folder_of
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.pages.start.actions import sample_entries
from errorflow_viewer.pages.start.recent_card import Card, CardFacts, RecentCard, StartTile


# Equal cards in rows, as many columns as there is room for.
class StartCardGrid(QWidget):
    """Grid that is not seen while it holds no cards."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.cards: tuple[StartTile, ...] = ()
        self.columns = 1
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(PADDING)

    def show_cards(self, cards: Sequence[StartTile]) -> None:
        """Shows cards in place of those before."""
        for old in self.cards:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = tuple(cards)
        for place, card in enumerate(self.cards):
            card.stepped.connect(partial(self._step, place))
        self._place()
        self.setVisible(bool(self.cards))
        for card in self.cards:  # at once, so that one can be given the keyboard
            card.show()

    def set_columns(self, columns: int) -> None:
        if columns != self.columns:
            self.columns = columns
            self._place()

    def _place(self) -> None:
        list(empty(self._grid))
        for column in range(max(self._grid.columnCount(), self.columns)):
            self._grid.setColumnStretch(column, 1 if column < self.columns else 0)
            self._grid.setColumnMinimumWidth(column, 0)
        rows = -(-len(self.cards) // self.columns)
        for row in range(max(self._grid.rowCount(), rows)):
            self._grid.setRowStretch(row, 1 if row < rows else 0)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // self.columns, place % self.columns)

    def _step(self, place: int, across: int, down: int) -> None:
        target = place + across + down * self.columns
        if 0 <= target < len(self.cards):
            self.cards[target].setFocus(Qt.FocusReason.TabFocusReason)


# Logical px: of a column of cards, and of the rim of the page.
CARD, RIM = 256, 40
# From these widths on cards stand in so many columns: seven samples fill both rows of four.
COLUMNS = ((1680, 5), (4 * CARD, 4), (2 * CARD, 2), (0, 1))
# From these heights on there is room for so many rows of what was opened last.
ROWS = ((1000, 3), (820, 2), (0, 1))


class StartPage(QScrollArea):
    """Page with one column in the middle of the window."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/first-steps.md")
        self._desk = desk
        self._shows_all = False
        self._room = 0
        self.recent_cards: tuple[RecentCard, ...] = ()
        self._entries: tuple[Recent, ...] = ()
        self.greeting = Greeting(desk) if is_first_start(desk.settings) else None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Start page")
        self.column = QWidget()
        self._box = QVBoxLayout(self.column)
        self._box.setSpacing(PADDING)
        self._add_head()
        self._add_recents()
        self._add_samples()
        self._box.addLayout(self._foot())
        self.setWidget(self._centred(self.column))
        desk.recents.checked.connect(self._tell)
        desk.appearance.changed.connect(self._on_theme)
        self.refresh()

    def refresh(self) -> None:
        """Shows the recent files, and steps those back that are not found."""
        self._show_recents()
        self._greet(self.greeting is not None and not self._entries and self._desk.document.model is None)
        self._desk.recents.check(self._desk.appearance.theme.name)

    def _greet(self, on: bool) -> None:
        """Greets only until something was opened."""
        if self.greeting is not None and not on:
            self._box.removeWidget(self.greeting)
            self.greeting.deleteLater()
            self.greeting = None
        self.head.setVisible(not on)
        self.tour_button.setVisible(not on)
        self.open_button.setProperty("primary", not on)
        self.open_button.style().polish(self.open_button)

    # What it is made of

    def _centred(self, column: QWidget) -> QWidget:
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(RIM, PADDING, RIM, PADDING)
        row.addStretch(1)
        middle = QVBoxLayout()
        middle.addStretch(2)
        middle.addWidget(column)
        middle.addStretch(3)
        row.addLayout(middle, 100)
        row.addStretch(1)
        return page

    def _add_head(self) -> None:
        mark = QLabel()
        mark.setPixmap(icons.app_icon().pixmap(px(32), px(32)))
        mark.setAccessibleName("Errorflow")
        title = QLabel("See where a converted model goes wrong")
        title.setFont(font(DISPLAY, strong=True))
        self.head = QWidget()
        head = spaced(QHBoxLayout(self.head), GAP, (0, 0, 0, 4))
        head.addWidget(mark)
        head.addWidget(title, 1)
        self._box.addWidget(self.head)
        if self.greeting is not None:
            self._box.addWidget(self.greeting)
            self._box.addSpacing(4)
        self._box.addLayout(self._ways())
        self._box.addSpacing(GAP)

    def _ways(self) -> Flow:
        """Makes the ways to begin."""
        self.open_button = _button("Open a model…", lambda: self._desk.ask_for_file())
        self.open_button.setProperty("primary", True)
        self.open_button.setDefault(True)
        self.compare_button = _button("Compare two runs…", lambda: self._desk.commands.run("compare"))
        self.guide_button = _button("Guide me…", lambda: self._desk.guide())
        self.guide_button.setToolTip("Find a loss of accuracy step by step, after the vendor's own method")
        dropped = _label("or drop a model, or a folder that holds a whole case", "muted")
        return flowing(GAP, self.open_button, self.compare_button, self.guide_button, dropped)

    def _add_recents(self) -> None:
        self.recents = StartCardGrid("Recent files")
        self.recents_head = QWidget()
        row = QHBoxLayout(self.recents_head)
        row.setContentsMargins(0, 0, 0, 0)
        self.all_button = text_button("", self._turn_all)
        self.all_button.setProperty("link", True)
        row.addWidget(_label("Recent files", "title"))
        row.addStretch(1)
        row.addWidget(self.all_button)
        self._below_recents = QWidget()
        self._below_recents.setFixedHeight(PADDING // 2)
        for part in (self.recents_head, self.recents, self._below_recents):
            self._box.addWidget(part)

    def _add_samples(self) -> None:
        self._box.addWidget(_label("Built-in samples", "title"))
        self.cards = [self._sample_card(entry) for entry in sample_entries(self._desk)]
        self.samples = StartCardGrid("Built-in samples")
        self._box.addWidget(self.samples)
        self.samples.show_cards(self.cards)
        self._box.addSpacing(4)

    def _sample_card(self, entry: Entry[PageDesk]) -> Card:
        card = Card(entry)
        card.chosen.connect(partial(entry.run, self._desk))
        return card

    def _foot(self) -> QHBoxLayout:
        """Makes the way back to the tour, and what the user may wonder about."""
        self.tour_button = text_button("Take the two-minute tour", lambda: self._desk.commands.run("tour"))
        self.tour_button.setProperty("link", True)
        words = (
            "Nothing leaves this computer: no network, no telemetry, no updates by themselves.",
            "Ctrl+Shift+P finds every command. F1 opens the manual.",
        )
        row, said = QHBoxLayout(), QVBoxLayout()
        said.setSpacing(2)
        for text in words:
            label = _label(text, "label")
            label.setWordWrap(True)
            said.addWidget(label)
        row.addLayout(said, 1)
        row.addWidget(self.tour_button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    # What was opened last

    def _show_recents(self) -> None:
        focus = self.window().focusWidget()
        held = next((place for place, card in enumerate(self.recent_cards) if card is focus), None)
        self._entries, self._room = self._desk.recents.entries, self._find_room()
        room = self._room
        shown = self._entries if self._shows_all else self._entries[:room]
        self.recent_cards = tuple(self._recent_card(recent) for recent in shown)
        self.recents.show_cards(self.recent_cards)
        for part in (self.recents_head, self._below_recents):
            part.setVisible(bool(shown))
        self.all_button.setVisible(len(self._entries) > room)
        self.all_button.setText("Show fewer" if self._shows_all else f"Show all {len(self._entries)}")
        self._tell()
        if held is not None and shown:  # the keyboard stays where it was
            self.recent_cards[min(held, len(shown) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)

    def _find_room(self) -> int:
        """Computes for how many cards there is room."""
        return self.recents.columns * next(rows for height, rows in ROWS if self.viewport().height() >= px(height))

    def _turn_all(self) -> None:
        self._shows_all = not self._shows_all
        self._show_recents()

    def _recent_card(self, recent: Recent) -> RecentCard:
        card = RecentCard(recent, self._desk.appearance.theme)
        card.chosen.connect(partial(self._desk.open_again, recent))
        card.removed.connect(partial(self._forget, recent))
        card.cleared.connect(self._clear)
        card.folder_wanted.connect(partial(self._show_folder, recent))
        return card

    def _tell(self) -> None:
        """Tells what is known: what is not found steps back, but can be tried, as its drive may be there again."""
        recents, theme, today = self._desk.recents, self._desk.appearance.theme, date.today()
        for recent, card in zip(self._entries, self.recent_cards, strict=False):
            known = CardFacts(recent, recents.opened_at(recent), recents.is_missing(recent), recents.seen(recent))
            card.tell(known, theme, today)

    def _forget(self, recent: Recent) -> None:
        self._desk.recents.forget(recent)
        self._show_recents()

    def _clear(self) -> None:
        self._desk.recents.clear()
        self._show_recents()

    def _show_folder(self, recent: Recent) -> None:
        self._desk.support.show_outside(Path(folder_of(recent)))

    # Events

    def _on_theme(self, _theme: Theme) -> None:
        self._tell()
        if self._entries:
            self._desk.recents.check(self._desk.appearance.theme.name)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = next(count for width, count in COLUMNS if self.viewport().width() >= px(width))
        self.column.setMaximumWidth(max(columns, 4) * px(CARD + 4))
        for grid in (self.recents, self.samples):
            grid.set_columns(columns)
        if self._entries and self._find_room() != self._room:
            self._show_recents()


def _button(text: str, pressed: Callable[[], None]) -> QPushButton:
    button = text_button(text, pressed)
    button.setMinimumHeight(32)
    return button


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    if role == "muted":
        label.setProperty("muted", True)
    else:
        label.setProperty("role", role)
    return label


# What somebody sees who starts the app for the first time: what it is, and one obvious thing to do.

# The sample that is proposed, how wide what is told of it may be, and the size in which its picture is shown.
SAMPLE = SAMPLES[0]
STORY = 480
PICTURE = QSize(312, 196)


def is_first_start(settings: Settings) -> bool:
    """Whether no window of this user has ever been closed, and nothing was ever opened."""
    return settings.geometry.isEmpty() and not settings.recents


class Greeting(QWidget):
    """One sentence, the sample, the tour, and the choice of language."""

    def __init__(self, desk: PageDesk) -> None:
        super().__init__()
        self._desk = desk
        self.setAccessibleName("Welcome")
        box = spaced(QVBoxLayout(self), GAP)
        box.addLayout(self._head())
        box.addWidget(self._sheet())
        desk.appearance.changed.connect(self.picture.set_theme)
        desk.speech.chosen.connect(self._mark_language)
        self._mark_language()
        self.setFocusProxy(self.open_button)

    def _head(self) -> QHBoxLayout:
        mark = QLabel()
        mark.setPixmap(icons.app_icon().pixmap(px(48), px(48)))
        mark.setAccessibleName("Errorflow")
        title = QLabel("Welcome to Errorflow")
        title.setFont(font(DISPLAY, strong=True))
        said = text_label(
            "See where a converted or quantized neural network goes wrong: at which operator, and why.",
            muted=True,
            wraps=True,
        )
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(said)
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        head.addLayout(self._languages())
        return head

    def _languages(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(GAP)
        self.languages = {language.key: QPushButton(language.name) for language in LANGUAGES}
        for key, button in self.languages.items():
            button.setProperty("link", True)
            button.clicked.connect(partial(self._desk.speech.choose, key))
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _mark_language(self) -> None:
        """The one that is spoken is no way to anywhere, unless it stands in for another one that was chosen."""
        is_english = current() is ENGLISH
        for language in LANGUAGES:
            button = self.languages[language.key]
            button.setEnabled(language.key != current().key or self._desk.speech.unreadable is not None)
            # Where no font has its characters, its own name is boxes.
            button.setToolTip(language.in_english if is_english else "")

    def _sheet(self) -> QFrame:
        self.picture = SamplePicture(self._desk.appearance.theme)
        title = text_label("Begin with a broken network", role="title")
        story = QLabel(
            "Int8 ruins this digit classifier: 98 % of its answers are right in float, 9 % in int8. "
            "One of its 31 operators is to blame. The graph shows which."
        )
        story.setWordWrap(True)
        story.setMaximumWidth(STORY)
        self.open_button = text_button("Open the sample", lambda: self._desk.open(SAMPLE.model))
        self.open_button.setProperty("primary", True)
        self.open_button.setMinimumHeight(32)
        self.tour_button = text_button(
            "Take the two-minute tour",
            lambda: self._desk.commands.run("tour"),
            "Eight steps in this window, on the sample; it can be left at any of them",
        )
        self.tour_button.setMinimumHeight(32)
        buttons = QHBoxLayout()
        buttons.setSpacing(PADDING)
        buttons.addWidget(self.open_button)
        buttons.addWidget(self.tour_button)
        buttons.addStretch(1)
        words = spaced(QVBoxLayout(), PADDING, (GAP + 4, GAP, GAP + 4, GAP))
        words.addStretch(1)
        for part in (title, story):
            words.addWidget(part)
        words.addSpacing(GAP)
        words.addLayout(buttons)
        words.addStretch(1)
        sheet = QFrame()
        sheet.setProperty("role", "sheet")
        row = spaced(QHBoxLayout(sheet), 0, (1, 1, 1, 1))
        row.addWidget(self.picture)
        row.addLayout(words, 1)
        return sheet


class SamplePicture(QWidget):
    """The sample as it will look; made beforehand."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._image = _image(theme)
        self.setMinimumSize(PICTURE.width() // 2, PICTURE.height())
        self.setMaximumWidth(PICTURE.width())
        self.setAccessibleName("The sample, painted by its error")

    def sizeHint(self) -> QSize:
        return PICTURE

    def set_theme(self, theme: Theme) -> None:
        self._theme, self._image = theme, _image(theme)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()).adjusted(0, 0, RADIUS, 0), RADIUS - 1, RADIUS - 1)
        painter.setClipPath(path)
        painter.fillRect(self.rect(), QColor(self._theme.canvas))
        scale = min(self.width() / self._image.width(), self.height() / self._image.height())
        width, height = self._image.width() * scale, self._image.height() * scale
        left, top = (self.width() - width) / 2, (self.height() - height) / 2
        painter.drawImage(QRectF(left, top, width, height), self._image)
        painter.fillRect(QRectF(self.width() - 1, 0, 1, self.height()), QColor(self._theme.hairline))


def _image(theme: Theme) -> QImage:
    file = files("errorflow_resources") / "start" / f"{SAMPLE.key}-{theme.name}.png"
    return QImage.fromData(file.read_bytes())
