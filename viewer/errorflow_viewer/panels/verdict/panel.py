"""The panel of the verdict: it says who is to blame, and leads there."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QImage, QPainter, QTextOption
from PySide6.QtWidgets import QFrame, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from errorflow.base.language import say
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.conditions import has_findings
from errorflow_viewer.commands.copy_save.texts import offer_text
from errorflow_viewer.commands.copy_save.verdict import copy_for_ticket
from errorflow_viewer.commands.verdict_bar import SIGN, sign_color
from errorflow_viewer.commands.worst import step_worst
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.verdict_words import Sign, headline
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import fill, flowing, pages, spaced, text_button
from errorflow_viewer.kit.look import PADDING, Theme
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.no_runs import NoRuns
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.panels.verdict.page import BAR, BELOW, page
from errorflow_viewer.panels.verdict.told import Told

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.explain.blame.model import Blame
    from errorflow.explain.findings.model import Findings

KEY = "verdict"
NOTHING = "Who is to blame for the error stands here, and what to do about it, once two runs are compared."
LATER = "The verdict follows when all is measured."


@dataclass(frozen=True)
class _Wish:
    compared: "Case"
    blame: "Blame"
    findings: "Findings | None"
    metric: str
    limits: Mapping[str, tuple[float, float]] = field(compare=False)


def _told(wish: _Wish) -> Told:
    scale = None if wish.findings is None else wish.findings.scale(wish.metric, wish.limits)
    return Told.of(wish.compared, wish.blame, wish.findings, scale)


class VerdictPanel(QWidget):
    """A page with links; it comes to the front once for each comparison, if nothing is selected by then."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._raised = False
        # A link of this page is being followed.
        self._leads = False
        self.told: Told | None = None
        self.text = _Text(desk)
        self.text.anchorClicked.connect(self._follow)
        self.text.highlighted.connect(self._point)
        self.nothing = NoRuns(desk, NOTHING, "Compare…")
        self.waiting = Empty(LATER)
        self.copy = text_button(
            "Copy for ticket",
            lambda: copy_for_ticket(desk),
            "Copy who is to blame and what to do, as the command line prints it",
        )
        self.worst = QPushButton("Next worst")
        tip = "Go to the worst node, and from there to the one that is next to it in badness"
        tell_keys(self.worst, desk.settings, tip, "worst.next", ("N",))
        self.worst.clicked.connect(lambda: self._lead(partial(step_worst, desk, 1)))
        self.stack = pages(self.nothing, self.waiting, self._make_content())
        fill(self, self.stack)
        reads = "case", "findings", "session.painting"
        desk.derived.add(listed(KEY, "Writing the verdict", reads, self._wished, _told, self._show, self._drop))
        self._document.changed.connect(self._on_changed)
        desk.jobs.changed.connect(self._on_jobs)
        desk.appearance.changed.connect(self._write)

    def _make_content(self) -> QWidget:
        self.content = QWidget()
        rule = QFrame()
        rule.setProperty("role", "rule")
        foot = flowing(PADDING, self.copy, self.worst)
        foot.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box = spaced(QVBoxLayout(self.content))
        box.addWidget(self.text, 1)
        box.addWidget(rule)
        box.addLayout(foot)
        return self.content

    # What is shown

    def _on_changed(self, fields: Collection[str]) -> None:
        self.worst.setEnabled(has_findings(self._desk))
        if "node" in fields:
            self._give_way()

    def _give_way(self) -> None:
        """Who selects a node elsewhere wants to see the evidence; who follows a link of this page stays on it."""
        in_front = not self.visibleRegion().isEmpty()
        wanted = in_front and not self._leads and self._desk.panels.is_shown("inspector")
        if wanted and self._document.state.node is not None:
            self._desk.panels.show("inspector")

    def _on_jobs(self, _steps: object) -> None:
        if self.stack.currentWidget() is self.waiting:
            self._say_what_is_missing()

    def _wished(self, state: State) -> _Wish | None:
        """Limits are dragged, and say nothing here."""
        compared, findings, painting = state.case, state.findings, state.session.painting
        if compared is None or compared.blame is None or not compared.complete:
            return None
        # The graph on view may be another one, inside of a node.
        here = findings if findings is not None and findings.blame is compared.blame else None
        return _Wish(compared, compared.blame, here, painting.metric, painting.limits)

    def _drop(self) -> None:
        self._raised = self._raised and self._document.state.case is not None
        self._show(None)

    def _show(self, told: Told | None) -> None:
        self.told = told
        if told is None:
            self._say_what_is_missing()
            return
        self.stack.setCurrentWidget(self.content)
        self._write()
        self._come_forward()

    def _say_what_is_missing(self) -> None:
        compared = self._document.state.case
        found = None if compared is None else headline(compared, self._desk.jobs.running(COMPARING))
        if found is not None and found.waits:
            self.waiting.sentence.setText(say("{}\n{}", found.text, say(LATER)))
            self.stack.setCurrentWidget(self.waiting)
        else:
            self.nothing.sentence.setText(NOTHING if found is None else say("{}\n{}", found.text, say(NOTHING)))
            self.stack.setCurrentWidget(self.nothing)

    def _come_forward(self) -> None:
        """Once: who then looks at something else is not disturbed again."""
        if self._raised:
            return
        self._raised = True
        if self._document.state.is_bare and self._desk.panels.is_shown("verdict"):
            self._desk.panels.show("verdict")

    def _write(self, _theme: object = None) -> None:
        if self.told is not None:
            self.text.write(page(self.told, self._desk.appearance.theme))

    # Where it leads

    def _follow(self, url: QUrl) -> None:
        follow: dict[str, Callable[[str], None]] = {
            "node": lambda text: self._document.go(Place(), node=int(text)),
            "tensor": lambda text: self._document.go(Place(), tensor=int(text)),
            "search": self._search,
            "explain": lambda _: self._explain(),
            "problems": lambda _: self._desk.panels.show("problems"),
        }
        self._lead(partial(follow[url.scheme()], url.path(QUrl.ComponentFormattingOption.FullyDecoded)))

    def _lead(self, way: Callable[[], None]) -> None:
        """Goes somewhere from this page."""
        self._leads = True
        way()
        self._leads = False

    def _search(self, text: str) -> None:
        self._desk.panels.show("nodes")
        self._document.search_for(text)

    def _explain(self) -> None:
        """Outlines what the first bad nodes explain, and goes to the first of them."""
        painting = self._document.session.painting
        if not painting.front:
            self._document.edit("Outline the front", painting=replace(painting, front=True))
        self._desk.commands.turn_on("switch.error")
        if self.told is not None and self.told.first:
            self._document.go(Place(), node=self.told.first[0].node)

    def _point(self, url: QUrl) -> None:
        """The link under the pointer; an empty one: none."""
        is_node = url.scheme() == "node" and self._document.state.place == Place()
        self._document.pointed.emit(int(url.path()) if is_node else None)


class _Text(QTextBrowser):
    """Draws signs and bars in the colours of the theme."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.setOpenLinks(False)
        self.setAcceptDrops(False)
        self.setAccessibleName("Verdict")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(PADDING)
        offer_text(desk, self, "verdict", lambda: without_breaks(self.toPlainText()))

    def write(self, html: str) -> None:
        """Stays where it was scrolled to."""
        bar = self.verticalScrollBar()
        place = bar.value()
        self.setHtml(html)
        bar.setValue(place)

    def loadResource(self, kind: int, url: QUrl | str) -> object:
        url = QUrl(url)
        theme, scale = self._desk.appearance.theme, self.devicePixelRatioF()
        drawn: dict[str, Callable[[str], object]] = {
            "sign": partial(_sign, theme, scale),
            "bar": partial(_bar, theme, scale),
        }
        return (
            drawn[url.scheme()](url.path().partition("/")[0])
            if url.scheme() in drawn
            else super().loadResource(kind, url)
        )


def _sign(theme: Theme, scale: float, sign: Sign) -> QImage:
    return icons.pixmap(f"verdict-{sign}", sign_color(sign, theme), SIGN, scale).toImage()


def _bar(theme: Theme, scale: float, share: str) -> QImage:
    """How much of the whole, as a thin line on its track."""
    width, height = BAR
    image = QImage(round(width * scale), round((height + BELOW) * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.fillRect(QRectF(0, 0, width, height), QColor(theme.hairline))
    painter.fillRect(QRectF(0, 0, width * float(share), height), QColor(theme.error.mark))
    painter.end()
    return image
