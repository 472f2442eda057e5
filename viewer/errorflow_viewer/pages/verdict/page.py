"""Page of what was compared, the verdict, the nodes that matter, what was tried, what to do, and what is not known."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QMargins, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayoutItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import Progress, dataclass, field, replace
from errorflow.base.language import Verbatim
from errorflow.case.session.model import Session
from errorflow.report.account.making import account_of
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
    AccountFact,
    AccountTable,
    Card,
    account_text,
)
from errorflow.report.account.model import AccountTable as Told
from errorflow_viewer.commands.api import Desk, could_simulate
from errorflow_viewer.commands.copy_save.plots import Plot, add_plot, image_of
from errorflow_viewer.commands.copy_save.tables import Table, text_of
from errorflow_viewer.commands.copy_save.texts import offer_labels, offer_menu
from errorflow_viewer.commands.verdict_bar import sign_color
from errorflow_viewer.document.case_on_view import content_without_pictures, pictures_of
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.verdict_words import Sign, headline, linked_text, links_of
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import Items, pages, spaced, text_button
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING, TITLE, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.verdict.parts import Name, NodeCard, VerdictPicture, chapter, facts, stacked, table, words
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.plots.figures import file_name, in_our_font

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.report.content import NodeEvidence


KEY = "verdict page"
WIDTH = 1480
NOTHING = "Nothing is compared yet. What was compared, who is to blame, what was tried and what to do will stand here."
LATER = "The verdict follows when all is measured."
_SCROLLING = {Qt.Key.Key_Down: 48, Qt.Key.Key_Up: -48}


@dataclass(frozen=True)
class _Wish:
    """Wish for what is told, and the pictures that are known of it."""

    compared: "Case"
    session: Session
    state: State = field(compare=False)
    known: "tuple[NodeEvidence, ...]" = field(compare=False)


# The chapters of the page, from an account of the case.


# Cards in as many columns as there is room for, all of a width; each as high as it is.
class ChapterColumns(Items):
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


# What the chapters give away from their context menus; they keep no widget: the page is made anew often.

# Takes a part of the page, and gives it back with its menu.
Offer = Callable[[QWidget, str, Table], QWidget]


def offering(desk: Desk) -> Offer:
    def offer(widget: QWidget, what: str, table: Table) -> QWidget:
        offer_labels(desk, widget, what, table)
        return widget

    return offer


def offer_card(desk: Desk, card: NodeCard) -> None:
    """Offers its picture as far as it is there, and its numbers."""
    picture = next(iter(card.findChildren(VerdictPicture)), None)
    plot = _plot(card.card, None if picture is None else picture.svg, desk.appearance.theme.surface)
    offer_menu(card, lambda menu: add_plot(menu, desk, plot))


def _plot(card: Card, svg: bytes | None, ground: str) -> Plot:
    made = svg or b""
    size = QSvgRenderer(QByteArray(made)).defaultSize() if made else QSize()

    def paint(painter: QPainter) -> None:
        QSvgRenderer(QByteArray(in_our_font(made))).render(painter, QRectF(0, 0, size.width(), size.height()))

    return Plot(
        lambda: file_name(card.title),
        lambda: image_of(size, ground, paint),
        lambda: made,
        lambda: card_table(card).csv,
        lambda: bool(made),
        lambda: True,
    )


def card_table(card: Card) -> Table:
    """Lists what stands on it, and the share with all its digits."""
    share = [("Share of the error at the output", text_of(card.share))] if card.share_text else []
    verdict = " · ".join(filter(None, (card.word, card.how)))
    known = [("Node", card.title), ("Operator", card.op_type), ("Verdict", verdict), *share]
    return Table(("Quantity", "Value"), (*known, *_rows(card.numbers), ("Why", card.why)))


def facts_table(facts: tuple[AccountFact, ...]) -> Table:
    return Table(("Quantity", "Value"), _rows(facts))


def told_table(told: Told) -> Table:
    """Lists all rows, those too for which the page has no room."""
    return Table(told.heads, told.rows)


def lacks_table(account: Account) -> Table:
    """A row per reason, as far as it is told, and one per oddity."""
    lacks = [(lack.title, str(lack.count), lack.named, lack.hint) for lack in account.lacks]
    oddities = [("", "", text, "") for text in account.oddities]
    return Table(("Reason", "Count", "Problem", "What to do"), lacks + oddities)


def _rows(facts: tuple[AccountFact, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((fact.label, fact.text) for fact in facts)


@dataclass(frozen=True)
class Looks:
    """Looks of the chapters, and where they lead."""

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
    told = AccountTable(("Output", "Verdict", "Why"), rows)
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
    layout = ChapterColumns(CARD, ACROSS, GAP)
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


def _rows_of(
    told: AccountTable, rows: tuple[tuple[str, ...], ...], what: str, rest: str, looks: Looks
) -> Iterator[QWidget]:
    """Yields those rows, and what is said where there are more."""
    yield looks.offer(table(AccountTable(told.heads, rows, told.right)), what, told_table(told))
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


class VerdictPage(QWidget):
    """Made anew when what it tells of changed, and only while it is looked at."""

    left = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/read-the-verdict.md")
        self._desk = desk
        self.setAccessibleName("Verdict page")
        # Bars of tabs of panels that are hidden would shine through.
        self.setAutoFillBackground(True)
        self.account: Account | None = None
        # Pictures of the comparison that they are of.
        self._seen: tuple[NodeEvidence, ...] = ()
        self._seen_of: Case | None = None
        self.nothing = Empty(NOTHING, "Compare…", lambda: desk.commands.run("compare"))
        self.simulate = QPushButton("Simulate…")
        tip = "Quantize the model in simulation, and see which node makes the error"
        tell_keys(self.simulate, desk.settings, tip, "simulate", ("F9",))
        self.simulate.clicked.connect(lambda: self._leave_for(desk.studies.simulating.asked.emit))
        self.nothing.add(self.simulate)
        self.waiting = Empty(LATER)
        self.area = self._make_area()
        self.stack = pages(self.nothing, self.waiting, self.area)
        box = spaced(QVBoxLayout(self))
        box.addWidget(self.stack, 1)
        box.addWidget(self._make_foot())
        desk.derived.add(self._row(), widget=self)
        desk.jobs.changed.connect(self._on_jobs)
        desk.appearance.changed.connect(self._write)

    # What it tells

    def _on_jobs(self, _steps: object) -> None:
        if self.isVisible() and self.stack.currentWidget() is self.waiting:
            self._say_what_is_missing()

    def _row(self) -> "Derived[_Wish, tuple[Account, tuple[NodeEvidence, ...]]]":
        return Derived(
            name=KEY,
            text="Writing the verdict page",
            reads=("case", "session"),
            wish=self._wished,
            work=_work,
            keep=self._take,
            part=self._take,
            drop=lambda _: self._drop(),
            calm=1,  # several changes in a row are told of together
            reports="log",
        )

    def _wished(self, state: State) -> _Wish | None:
        compared = state.case
        if state.model is None or compared is None or not compared.complete:
            return None
        return _Wish(compared, state.session, state, self._seen if compared is self._seen_of else ())

    def _take(self, _: Document, wish: _Wish, found: "tuple[Account, tuple[NodeEvidence, ...]]") -> None:
        (self.account, self._seen), self._seen_of = found, wish.compared
        self._write()

    def _drop(self) -> None:
        self.account, self._seen, self._seen_of = None, (), None
        self._say_what_is_missing()

    def _say_what_is_missing(self) -> None:
        compared = self._desk.document.state.case
        found = None if compared is None else headline(compared, self._desk.jobs.running(COMPARING))
        if found is not None and found.waits:
            self.waiting.sentence.setText(f"{found.text}\n{LATER}")
            self.stack.setCurrentWidget(self.waiting)
        else:
            self.simulate.setVisible(could_simulate(self._desk))
            self.stack.setCurrentWidget(self.nothing)
        self._enable()

    def _write(self, _theme: object = None) -> None:
        if self.account is None:
            return
        bar = self.area.verticalScrollBar()
        place = bar.value()
        looks = self._looks(self.account)
        self.area.setWidget(self._laid_out(list(chapters_of(self.account, looks))))
        self.stack.setCurrentWidget(self.area)
        bar.setValue(place)
        self._enable()

    def _looks(self, account: Account) -> Looks:
        compared = self._desk.document.state.case
        blame = None if compared is None else compared.blame
        sign: Sign = "nothing" if compared is None else headline(compared, False).sign
        links = {} if blame is None else links_of(blame)
        theme = self._desk.appearance.theme
        offers = offering(self._desk), partial(offer_card, self._desk)
        ways = self._go, self._follow, self._go_named, self._show_problems
        return Looks(theme, sign, account.sentence, links, self._desk.derived.running(KEY) is not None, *ways, *offers)

    # Where it leads

    def _go(self, node: int) -> None:
        self._leave_for(partial(self._desk.document.go, Place(), node=node))

    def _follow(self, href: str) -> None:
        kind, _, number = href.partition(":")
        way = partial(self._desk.document.go, Place(), tensor=int(number))
        self._leave_for(way) if kind == "tensor" else self._go(int(number))

    def _go_named(self, name: str) -> None:
        model = self._desk.document.model
        node = None if model is None else model.graph.node_index(name)
        if node is None:
            self._desk.say(f"This model has no node {name}.")
        else:
            self._go(node)

    def _show_problems(self) -> None:
        self._leave_for(partial(self._desk.panels.show, "problems"))

    def _leave_for(self, way: Callable[[], None]) -> None:
        """First the graph is there, then what is looked for in it."""
        self.left.emit()
        way()

    def copy_text(self) -> None:
        if self.account is not None:
            QGuiApplication.clipboard().setText(account_text(self.account))
            self._desk.say("The verdict page is on the clipboard as text")

    # How it is laid out

    def _make_area(self) -> QScrollArea:
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _laid_out(self, chapters: list[QWidget]) -> QWidget:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inside = spaced(QVBoxLayout(column), GAP * 2, (GAP * 2, GAP, GAP * 2, GAP * 2))
        title = Elided(Qt.TextElideMode.ElideMiddle)
        title.setFont(font(DISPLAY, strong=True))
        title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title.show_text("" if self.account is None else self.account.title)
        title.setToolTip("" if self.account is None else self.account.title)
        for widget in (title, *chapters):
            inside.addWidget(widget)
        inside.addStretch(1)
        page = QWidget()
        around = QHBoxLayout(page)
        around.setContentsMargins(0, 0, 0, 0)
        around.addStretch(1)
        around.addWidget(column, 100)
        around.addStretch(1)
        return page

    def _make_foot(self) -> QFrame:
        self.back = text_button(
            "Back to the graph", lambda: self.left.emit(), "Show the graph and its panels again (Esc)"
        )
        self.copy = text_button(
            "Copy as text", self.copy_text, "Copy all that this page says, to paste into a ticket or a mail"
        )
        self.export = QPushButton("Export report")
        self.export.setProperty("primary", True)
        self.export.setMenu(self._make_menu())
        foot = QFrame()
        foot.setProperty("role", "foot")
        row = spaced(QHBoxLayout(foot), PADDING, (GAP * 2, PADDING, GAP * 2, PADDING))
        row.addWidget(self.back)
        row.addStretch(1)
        self.ticket = text_button(
            "Make a ticket…",
            lambda: self._desk.commands.run("ticket"),
            "Put all that somebody else needs into one file, with a form for the vendor",
        )
        for button in (self.copy, self.ticket, self.export):
            row.addWidget(button)
        return foot

    def _make_menu(self) -> QMenu:
        menu, run = QMenu(self), self._desk.commands.run
        menu.addAction("As one page (HTML)…", lambda: run("export.report"))
        menu.addAction("To print (PDF)…", lambda: run("export.paper"))
        menu.addAction("Tables (CSV)…", lambda: run("export.tables"))
        return menu

    def _enable(self) -> None:
        self.copy.setEnabled(self.account is not None)
        self.ticket.setEnabled(self._desk.document.model is not None)
        self.export.setEnabled(self._desk.document.model is not None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar, key = self.area.verticalScrollBar(), Qt.Key(event.key())
        steps = {**_SCROLLING, Qt.Key.Key_PageDown: bar.pageStep(), Qt.Key.Key_PageUp: -bar.pageStep()}
        ends = {Qt.Key.Key_Home: bar.minimum(), Qt.Key.Key_End: bar.maximum()}
        if key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key in steps:
            bar.setValue(bar.value() + steps[key])
        elif key in ends:
            bar.setValue(ends[key])
        else:
            super().keyPressEvent(event)


def _work(
    wish: _Wish, progress: Progress, give: "Callable[[tuple[Account, tuple[NodeEvidence, ...]]], None]"
) -> "tuple[Account, tuple[NodeEvidence, ...]]":
    """Finds what is known at once, then with each picture more."""
    case = replace(content_without_pictures(wish.state), evidence=wish.known)

    def tell(found: "tuple[NodeEvidence, ...]") -> "tuple[Account, tuple[NodeEvidence, ...]]":
        return account_of(replace(case, evidence=found)), found

    give(tell(wish.known))
    return tell(pictures_of(wish.state, case, wish.known, lambda found: give(tell(found)), progress))
