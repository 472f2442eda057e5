"""The chapters of the page, from an account of the case."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayoutItem, QPushButton, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim
from errorflow.report.account.model import (
    CHANGED,
    COMPARED,
    NODES,
    NOTED,
    OUTPUTS,
    RECOMMENDED,
    TICKETED,
    TRIED,
    UNMEASURED,
    VERDICT,
    Account,
    Table,
)
from errorflow_viewer.commands.verdict_bar import sign_color
from errorflow_viewer.document.verdict_words import Sign, linked_text
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import Items, spaced
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING, TITLE, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.verdict.card import NodeCard
from errorflow_viewer.pages.verdict.given import Offer, facts_table, lacks_table, told_table
from errorflow_viewer.pages.verdict.parts import Name, chapter, facts, stacked, table, words


# Cards in as many columns as there is room for, all of a width; each as high as it is.
class Columns(Items):
    """Row by row; the cards of a row begin level and end level."""

    def __init__(self, least: int, most: int, gap: int) -> None:
        """`least`: px of a card's width; `most`: columns."""
        super().__init__()
        self._least, self._most, self._gap = least, most, gap

    def _find_least(self) -> QSize:
        margins: QMargins = self.contentsMargins()
        width = min(self._least, max((item.minimumSize().width() for item in self._items), default=0))
        return QSize(width + margins.left() + margins.right(), margins.top() + margins.bottom())

    def _lay(self, rect: QRect, *, moves: bool) -> int:
        """Says how high it becomes."""
        across = max(1, min(self._most, len(self._items), (rect.width() + self._gap) // (self._least + self._gap)))
        width = (rect.width() - (across - 1) * self._gap) // across
        top = rect.y()
        for first in range(0, len(self._items), across):
            row = self._items[first : first + across]
            height = max(_height(item, width) for item in row)
            for column, item in enumerate(row):
                if moves:
                    item.setGeometry(QRect(rect.x() + column * (width + self._gap), top, width, height))
            top += height + self._gap
        return max(top - self._gap - rect.y(), 0)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


# Of a card in px, and how many stand side by side.
CARD, ACROSS = 400, 3
# Runs, and reasons, that are shown; a report has all.
RUNS, REASONS = 12, 8
_SIGN = 28
# Of the verdict, by its tone: the colours of its sign.
_GROUNDS = {"calm": "info", "warning": "warning", "loud": "error"}


@dataclass(frozen=True)
class Looks:
    """What the chapters are drawn with, and where they lead."""

    theme: Theme
    sign: Sign
    # The verdict, and where the names in it lead to.
    sentence: str
    links: Mapping[str, str]
    # Pictures are still to come.
    waits: bool
    go: Callable[[int], None]
    follow: Callable[[str], None]
    go_named: Callable[[str], None]
    show_problems: Callable[[], None]
    # What their context menus give away.
    offer: Offer
    offer_card: Callable[[NodeCard], None]


def chapters_of(account: Account, looks: Looks) -> Iterator[QWidget]:
    if account.note:
        yield _note(account.note)
    yield chapter(COMPARED, _compared(account, looks), *(_warning(text) for text in account.warnings))
    if account.form:
        yield chapter(
            TICKETED, *(stacked(words(each.label, "label"), words(each.text), gap=0) for each in account.form)
        )
    yield chapter(VERDICT, _verdict(account, looks))
    if account.cards:
        yield chapter(NODES, _cards(account, looks))
    if account.outputs:
        yield chapter(OUTPUTS, _outputs(account, looks))
    if account.changed.rows:
        told, more = account.changed, len(account.changed.rows) - RUNS
        rest = f"These are the {RUNS} that reach farthest; there are {more:,} more."
        yield chapter(CHANGED, *_rows_of(told, told.rows[:RUNS], "changed by hand", rest, looks))
    if account.tried.rows:
        told, more = account.tried, len(account.tried.rows) - RUNS
        rest = f"These are the last {RUNS}; {more:,} more are in the report."
        yield chapter(TRIED, *_rows_of(told, told.rows[-RUNS:], "tried", rest, looks))
    if account.advice:
        yield chapter(RECOMMENDED, *_advice(account))
    if account.lacks or account.oddities:
        yield looks.offer(chapter(UNMEASURED, *_lacks(account, looks)), "not measured", lacks_table(account))
    if account.notes:
        yield chapter(NOTED, *_notes(account, looks))


def _compared(account: Account, looks: Looks) -> QWidget:
    return looks.offer(facts(account.compared), "compared", facts_table(account.compared))


def _outputs(account: Account, looks: Looks) -> QWidget:
    rows = tuple((each.name, f"{each.kind[:1].upper()}{each.kind[1:]}", each.text) for each in account.outputs)
    told = Table(("Output", "Verdict", "Why"), rows)
    return looks.offer(table(told), "outputs", told_table(told))


def _warning(text: str) -> QWidget:
    frame = QFrame()
    frame.setProperty("notice", "warning")
    box = QHBoxLayout(frame)
    box.setContentsMargins(GAP, PADDING, GAP, PADDING)
    box.addWidget(words(text, "strong"))
    return frame


def _note(text: str) -> QWidget:
    """The user's, on all of it: before all that was found."""
    frame = QFrame()
    frame.setProperty("notice", "info")
    frame.setAccessibleName("Note")
    box = QVBoxLayout(frame)
    box.setContentsMargins(GAP, PADDING, GAP, PADDING)
    box.addWidget(words(text))
    return frame


def _verdict(account: Account, looks: Looks) -> QWidget:
    frame = QFrame()
    frame.setProperty("notice", _GROUNDS[account.tone])
    sign = QLabel()
    color = sign_color(looks.sign, looks.theme)
    sign.setPixmap(icons.pixmap(f"verdict-{looks.sign}", color, _SIGN, frame.devicePixelRatioF()))
    head = words(account.head if account.head else VERDICT)
    head.setFont(font(DISPLAY, strong=True))
    texts = [head, _sentence(looks), *(words(line) for line in account.stages)]
    if account.real:
        texts.append(words(f"Measured for real: {account.real}", "strong"))
    if account.surety:
        texts.append(words(account.surety, muted=True))
    column = QVBoxLayout()
    column.setSpacing(6)
    for text in texts:
        column.addWidget(text)
    row = spaced(QHBoxLayout(frame), GAP, (GAP, GAP, GAP, GAP))
    row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
    row.addLayout(column, 1)
    return frame


def _sentence(looks: Looks) -> QLabel:
    """The names in it lead to the graph."""
    text = linked_text(looks.sentence, looks.links, f"color: {looks.theme.link}; text-decoration: none")
    label = words("")
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setText(text)
    label.setFont(font(TITLE))
    flags, linked = Qt.TextInteractionFlag, "</a>" in text
    label.setTextInteractionFlags(flags.TextBrowserInteraction if linked else _ONLY_MARK)
    label.setProperty("linked", linked)
    label.setIndent(0)  # Qt indents what has a border
    label.setAccessibleName(looks.sentence)
    label.linkActivated.connect(looks.follow)
    return label


_ONLY_MARK = Qt.TextInteractionFlag.TextSelectableByMouse


def _cards(account: Account, looks: Looks) -> QWidget:
    page = QWidget()
    layout = Columns(CARD, ACROSS, GAP)
    layout.setContentsMargins(0, 0, 0, 0)
    page.setLayout(layout)
    for number, card in enumerate(account.cards, 1):
        made = NodeCard(card, number, looks.theme, looks.go, looks.waits)
        looks.offer_card(made)
        layout.addWidget(made)
    policy = page.sizePolicy()
    policy.setHeightForWidth(True)
    page.setSizePolicy(policy)
    return page


def _rows_of(told: Table, rows: tuple[tuple[str, ...], ...], what: str, rest: str, looks: Looks) -> Iterator[QWidget]:
    """Those, and what is said where there are more."""
    yield looks.offer(table(Table(told.heads, rows, told.right)), what, told_table(told))
    if len(rows) < len(told.rows):
        yield words(rest, muted=True)


def _advice(account: Account) -> Iterator[QWidget]:
    for advice in account.advice:
        why, source = words(advice.why, muted=True), words(f"Source: {advice.source}", "label")
        source.setToolTip(advice.when)
        yield stacked(words(advice.text, "strong"), why, source, gap=2)


def _lacks(account: Account, looks: Looks) -> Iterator[QWidget]:
    for lack in account.lacks[:REASONS]:
        head = words(f"{lack.title} ({lack.count:,})", "strong")
        yield stacked(head, *(words(text, muted=True) for text in (lack.named, lack.hint) if text), gap=2)
    yield from (words(text) for text in account.oddities[:REASONS])
    left = max(len(account.lacks) - REASONS, 0) + max(len(account.oddities) - REASONS, 0)
    show = QPushButton(f"Show all problems ({left:,} more)" if left else "Show all problems")
    show.setProperty("link", True)
    show.clicked.connect(lambda: looks.show_problems())
    yield show


def _notes(account: Account, looks: Looks) -> Iterator[QWidget]:
    for name, text in account.notes:
        yield stacked(Name(name, partial(looks.go_named, name)), words(Verbatim(text)), gap=0)
