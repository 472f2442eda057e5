"""What was compared, the verdict, the nodes that matter, what was tried, what to do, and what is not known."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.progress import Progress
from errorflow.case.session.model import Session
from errorflow.report.account.making import account_of
from errorflow.report.account.model import Account
from errorflow.report.account.text import account_text
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.conditions import could_simulate
from errorflow_viewer.document.case_on_view import content_without_pictures, pictures_of
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.verdict_words import Sign, headline, links_of
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import pages, spaced, text_button
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.verdict.chapters import Looks, chapters_of
from errorflow_viewer.pages.verdict.given import offer_card, offering
from errorflow_viewer.panels.empty import Empty

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.report.content import Evidence

KEY = "verdict page"
WIDTH = 1480
NOTHING = "Nothing is compared yet. What was compared, who is to blame, what was tried and what to do will stand here."
LATER = "The verdict follows when all is measured."
_SCROLLING = {Qt.Key.Key_Down: 48, Qt.Key.Key_Up: -48}


@dataclass(frozen=True)
class _Wish:
    """What is told of, and the pictures that are known of it."""

    compared: "Case"
    session: Session
    state: State = field(compare=False)
    known: "tuple[Evidence, ...]" = field(compare=False)


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
        self._seen: tuple[Evidence, ...] = ()
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

    def _row(self) -> "Derived[_Wish, tuple[Account, tuple[Evidence, ...]]]":
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

    def _take(self, _: Document, wish: _Wish, found: "tuple[Account, tuple[Evidence, ...]]") -> None:
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
    wish: _Wish, progress: Progress, give: "Callable[[tuple[Account, tuple[Evidence, ...]]], None]"
) -> "tuple[Account, tuple[Evidence, ...]]":
    """What is known at once, then with each picture more."""
    case = replace(content_without_pictures(wish.state), evidence=wish.known)

    def tell(found: "tuple[Evidence, ...]") -> "tuple[Account, tuple[Evidence, ...]]":
        return account_of(replace(case, evidence=found)), found

    give(tell(wish.known))
    return tell(pictures_of(wish.state, case, wish.known, lambda found: give(tell(found)), progress))
