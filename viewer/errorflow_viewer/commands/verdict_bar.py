"""Bars above the graph: the verdict on the model in one row, and while two runs are compared, what became of it."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from types import MappingProxyType

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QHelpEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolTip,
    QWidget,
)

from errorflow.base.language import Verbatim, say, translated
from errorflow.explain.findings.change import MetricChange
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.verdict import copy_for_ticket, has_verdict
from errorflow_viewer.document.compared_trial import trial_named
from errorflow_viewer.document.comparing import KEY
from errorflow_viewer.document.node_rows import rows_of
from errorflow_viewer.document.runs import stop_comparing, turn_round
from errorflow_viewer.document.simulation_work import KEY as SIMULATING
from errorflow_viewer.document.state import Place
from errorflow_viewer.document.verdict_words import SO_FAR_WORDS, Headline, Piece, Sign, headline, pieces_of
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.accessible.voice import VOICE
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, LIGHT, PADDING, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import broken

HEIGHT, SIGN = 32, 20
# From these widths on, in px at 100 %, it leads to the panel, to the page, and says how the verdict was found.
ADVISES, LEADS, ROOMY = 240, 400, 520
# Names are not cut shorter than this while there is other text to leave out.
LEAST_NAME = 96
# What is left of the words behind the last name.
LEAST_END = ". …"
CUT = "…"
# What stands behind a clause, and behind a word. What a colon ends is only the title of what comes.
_CLAUSE, _WORD = re.compile(r"(?<=[.,;]) |(?<=[。，；])"), re.compile(r" ")
# What a line may end behind: a word, or a Chinese sign. Compiled when a verdict is told: that takes long for so many.
_PART = r"(?:[\u2e80-\uffff]|[^\s\u2e80-\uffff]+)\s*"
_NO_FORMS: Mapping[str, Sequence[str]] = MappingProxyType({})


def sign_color(sign: Sign, theme: Theme) -> str:
    """Loud only where something is wrong."""
    colors: dict[Sign, str] = {
        "node": theme.error.mark,
        "inputs": theme.error.mark,
        "accumulated": theme.warning.mark,
        "good": theme.accent,
    }
    return colors.get(sign, theme.muted)


class VerdictBar(QFrame):
    """Shown while `room` of the stack is, and something was compared."""

    def __init__(self, desk: Desk, stack: QStackedWidget, room: QWidget) -> None:
        super().__init__()
        self._desk = desk
        self._stack = stack
        self._room = room
        self.shown: Headline | None = None
        self.setProperty("role", "verdict")
        self.setFixedHeight(HEIGHT)
        self.sign = QLabel()
        self.sentence = Sentence()
        self.method = text_label(muted=True)
        self.more = text_button(
            "What to do", lambda: desk.panels.show("verdict"), "Show the verdict with its contributors and the advice"
        )
        self.more.setProperty("link", True)
        self.page = QPushButton("Verdict page")
        self.page.setProperty("link", True)
        tip = "Read all that was found on one page, and hand it over"
        tell_keys(self.page, desk.settings, tip, "verdict.page", ("F4",))
        self.page.clicked.connect(lambda: desk.commands.run("verdict.page"))
        self._lay_out()
        self.sentence.linkActivated.connect(self._follow)
        self.sentence.linkHovered.connect(self._point)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        follow(self, desk.document.changed, lambda _: self._show(), ("case",))
        desk.jobs.changed.connect(self._on_jobs)
        desk.appearance.changed.connect(self._dress)
        stack.currentChanged.connect(self._show)
        self.hide()

    def _lay_out(self) -> None:
        row = spaced(QHBoxLayout(self), PADDING, (GAP, 0, GAP, 0))
        row.addWidget(self.sign)
        row.addWidget(self.sentence, 1)
        row.addWidget(self.method)
        row.addSpacing(PADDING)
        row.addWidget(self.more)
        row.addSpacing(PADDING)
        row.addWidget(self.page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Makes room: where there is little the sentence counts; how it was found stands in the panel."""
        shown, width = self.shown, self.width()
        self.method.setVisible(shown is not None and bool(shown.method) and width >= px(ROOMY))
        self.page.setVisible(shown is not None and not shown.waits and width >= px(LEADS))
        self.more.setVisible(shown is not None and not shown.waits and width >= px(ADVISES))

    def menu(self) -> QMenu:
        """Makes the menu of the right button."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = "" if self.shown is None else self.shown.text
        menu.addAction("Copy verdict", partial(QGuiApplication.clipboard().setText, translated(text)))
        ticket = menu.addAction("Copy verdict for a ticket", partial(copy_for_ticket, self._desk))
        ticket.setEnabled(has_verdict(self._desk))
        return menu

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.mapToGlobal(spot))

    def _on_jobs(self, _steps: object) -> None:
        """A comparison that was stopped says so."""
        compared = self._desk.document.state.case
        so_far = self.shown is not None and self.shown.method.endswith(SO_FAR_WORDS)
        if compared is not None and (so_far or compared.blame is None or not compared.complete):
            self._show()

    def _show(self, _page: int = 0) -> None:
        compared = self._desk.document.state.case
        self.setVisible(compared is not None and self._stack.currentWidget() is self._room)
        running = self._desk.jobs.running
        found = None if compared is None else headline(compared, running(KEY), running(SIMULATING))
        if found == self.shown:
            return
        self.shown = found
        if found is not None:
            self.sentence.show_text(found, self._forms(pieces_of(found.text, found.links)))
            self.method.setText(found.method)
            self.method.setToolTip(found.method_tip)
            self._make_room()
            self.setAccessibleName(say("Verdict: {} {}", found.text, found.method))
            if not found.waits and self.isVisible():
                VOICE.say(self, found.text)
            self._dress()

    def _forms(self, pieces: Sequence[Piece]) -> dict[str, tuple[str, ...]]:
        """Finds shorter names, by their links, for the nodes that are named, each unlike those of all other nodes."""
        model, forms = self._desk.document.model, {}
        for piece in pieces:
            kind, _, number = piece.href.partition(":")
            if model is not None and kind == "node" and int(number) < len(model.graph):
                forms[piece.href] = rows_of(model.graph).name_forms(int(number))
        return {piece.href: forms[piece.href] for piece in pieces if forms.get(piece.href, ("",))[0] == piece.text}

    def _dress(self, _theme: object = None) -> None:
        if self.shown is not None:
            color = sign_color(self.shown.sign, self._desk.appearance.theme)
            self.sign.setPixmap(icons.pixmap(f"verdict-{self.shown.sign}", color, SIGN, self.devicePixelRatioF()))
            self.sentence.dress(self._desk.appearance.theme)

    def _follow(self, href: str) -> None:
        kind, _, number = href.partition(":")
        node, tensor = (int(number), None) if kind == "node" else (None, int(number))
        self._desk.document.go(Place(), node, tensor)

    def _point(self, href: str) -> None:
        document = self._desk.document
        kind, _, number = href.partition(":")
        is_here = kind == "node" and document.state.place == Place()
        document.pointed.emit(int(number) if is_here else None)


class Sentence(QLabel):
    """Sentence in one line with links, or two where that is not enough and there is height for them; names that do not
    fit are shortened, then the sentence loses its last clauses.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown = Headline("nothing", "")
        self._forms: Mapping[str, Sequence[str]] = _NO_FORMS
        self._link = LIGHT.link
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        # Links of a label have a menu of their own, the bar's says more.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def show_text(self, shown: Headline, forms: Mapping[str, Sequence[str]] = _NO_FORMS) -> None:
        """`forms`: of names, by their links, from long to short."""
        self._shown, self._forms = shown, forms
        flags = Qt.TextInteractionFlag
        linked = any(piece.href for piece in pieces_of(shown.text, shown.links))
        self.setTextInteractionFlags(
            flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard if linked else flags.NoTextInteraction
        )
        self.setProperty("linked", linked)
        self.setProperty("muted", shown.waits)
        self.style().unpolish(self)
        self.style().polish(self)
        self.setToolTip(shown.text)
        self.setAccessibleName(shown.text)
        self._fit()

    def dress(self, theme: Theme) -> None:
        """Links keep the colour that they were written in."""
        self._link = theme.link
        self._fit()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), broken(self.toolTip()), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        pieces = pieces_of(self._shown.text, self._shown.links)
        room, metrics = self.width() - 2, self.fontMetrics()
        wraps = (
            2 * metrics.lineSpacing() <= self.height()
            and lines("".join(each.text for each in pieces), room, metrics) > 1
        )
        self._write(pieces, wraps)
        # Chinese signs may come from another font, whose lines are higher.
        if wraps and self.heightForWidth(self.width()) > self.height():
            self._write(pieces, False)

    def _write(self, pieces: tuple[Piece, ...], wraps: bool) -> None:
        self.setWordWrap(wraps)
        texts = (in_two_lines if wraps else fitted)(pieces, self.width() - 2, self.fontMetrics(), self._forms)
        parts, style = [], f"color: {self._link}; text-decoration: none"
        for piece, text in zip(pieces, texts, strict=False):
            said = escape(text, quote=False)
            said = said if wraps else said.replace(" ", "&nbsp;")
            parts.append(f'<a href="{piece.href}" style="{style}">{said}</a>' if piece.href else said)
        self.setText(Verbatim("".join(parts)))


def lines(text: str, room: int, metrics: QFontMetrics) -> int:
    """Counts how many lines it takes at most, where no word is wider than one."""
    count, used = 1, 0
    for part in re.findall(_PART, text):
        width = metrics.horizontalAdvance(part)
        if used and used + width > room:
            count, used = count + 1, 0
        used += width
        # Part of it goes to a line of its own.
        count += used > room
    return count


def in_two_lines(
    pieces: Sequence[Piece], room: int, metrics: QFontMetrics, forms: Mapping[str, Sequence[str]] = _NO_FORMS
) -> list[str]:
    """Breaks as much as two lines of that width hold, whose ends are not always full."""
    shares = (fitted(pieces, room * tenths // 10, metrics, forms) for tenths in range(20, 10, -1))
    fits = (texts for texts in shares if lines("".join(texts), room, metrics) <= 2)
    return next(fits, None) or fitted(pieces, room, metrics, forms)


def fitted(
    pieces: Sequence[Piece], room: int, metrics: QFontMetrics, forms: Mapping[str, Sequence[str]] = _NO_FORMS
) -> list[str]:
    """The texts of the first pieces, cut so that together they are no wider than `room` px: first what the sentence
    ends with, since names say more."""
    texts = [piece.text for piece in pieces]
    widths = [metrics.horizontalAdvance(text) for text in texts]
    if not texts or sum(widths) <= room:
        return texts
    if not pieces[-1].href:
        widths[-1] = min(widths[-1], metrics.horizontalAdvance(LEAST_END))
    names = sorted((number for number, piece in enumerate(pieces) if piece.href), key=lambda number: widths[number])
    left = room - sum(width for width, piece in zip(widths, pieces, strict=True) if not piece.href)
    for place, number in enumerate(names):
        # Short names leave their room to long ones.
        share = max(left // (len(names) - place), px(LEAST_NAME))
        known = forms.get(pieces[number].href, ())
        shorter = next((form for form in known if metrics.horizontalAdvance(Verbatim(form)) <= share), texts[number])
        texts[number] = metrics.elidedText(Verbatim(shorter), Qt.TextElideMode.ElideMiddle, share)
        left -= metrics.horizontalAdvance(Verbatim(texts[number]))
    return _cut(texts, room, metrics)


def _cut(texts: Sequence[str], room: int, metrics: QFontMetrics) -> list[str]:
    if sum(map(metrics.horizontalAdvance, texts)) <= room:
        return list(texts)
    kept: list[str] = []
    end = metrics.horizontalAdvance(CUT)
    for text in texts[:-1]:
        width = metrics.horizontalAdvance(text)
        if width + end > room:
            return [*kept, _beginning(text, room, metrics)]
        kept.append(text)
        room -= width
    return [*kept, _beginning(texts[-1], room, metrics)]


def _beginning(text: str, room: int, metrics: QFontMetrics) -> str:
    """Cuts the beginning before what has no room: whole clauses, else whole words, and in very little room letters."""
    for ends in (_CLAUSE, _WORD):
        for end in reversed([found.start() for found in ends.finditer(text)]):
            shorter = f"{text[:end]} {CUT}"
            if metrics.horizontalAdvance(shorter) <= room:
                return shorter
    return metrics.elidedText(f"{text}{CUT}", Qt.TextElideMode.ElideRight, room)


# Above the graph while two runs are compared: which, what became of the output, and the way back.

# So many outputs are told.
_OUTPUTS = 2
COMING = "Simulating the other run …"
_DECIDED = ("session.simulation", "session.trials", "session.since", "session.painting")
_FIELDS = frozenset(("place", "findings", "simulated", "case", *_DECIDED))


class AgainstBar(QFrame):
    """Shown while `room` of the stack is, and a run is compared with."""

    def __init__(self, desk: Desk, stack: QStackedWidget, room: QWidget) -> None:
        super().__init__()
        self._desk = desk
        self._stack = stack
        self._room = room
        self._text = ""
        self.setProperty("role", "verdict")
        self.setFixedHeight(HEIGHT)
        self.text = QLabel()
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.turn, self.stop = QPushButton("Turn round"), QPushButton("Stop comparing")
        self.list = QPushButton("Changes")
        self.turn.setToolTip("Put the run that is compared with on view, and compare with the one that was")
        self.stop.setToolTip("Paint the error of the run on view again")
        self.list.setToolTip("List what became worse and what better")
        for button in (self.turn, self.list, self.stop):
            button.setProperty("link", True)
        self.turn.clicked.connect(lambda: turn_round(desk.document))
        self.list.clicked.connect(lambda: desk.panels.show("changes"))
        self.stop.clicked.connect(self._stop)
        row = spaced(QHBoxLayout(self), PADDING, (GAP, 0, GAP, 0))
        row.addWidget(self.text, 1)
        row.addWidget(self.turn)
        row.addWidget(self.list)
        row.addWidget(self.stop)
        follow(self, desk.document.changed, lambda _: self._show(), _FIELDS)
        desk.studies.earlier.changed.connect(self._show)
        stack.currentChanged.connect(lambda _: self._show())
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _show(self) -> None:
        is_run = self._compares_runs
        is_known = is_run or self._desk.studies.earlier.path is not None
        self.setVisible(is_known and self._stack.currentWidget() is self._room)
        self.turn.setVisible(is_run)
        if is_known:
            self._text = self._told()
            self._fit()

    @property
    def _compares_runs(self) -> bool:
        """Two runs of a simulation come before two sessions."""
        session = self._desk.document.session
        against = "" if session.simulation is None else session.simulation.against
        return bool(against) and trial_named(session, against) is not None

    def _stop(self) -> None:
        if self._compares_runs:
            stop_comparing(self._desk.document)
        else:
            self._desk.studies.earlier.stop()

    def _waiting(self) -> str:
        earlier = self._desk.studies.earlier
        if self._compares_runs or earlier.path is None:
            return COMING
        if earlier.failed:
            return f"Compared with {earlier.path.name}: {earlier.failed}"
        if self._desk.document.state.case is None:
            return f"Nothing is compared here that {earlier.path.name} could be held against."
        if self._desk.document.state.place != Place():
            return f"Compared with {earlier.path.name} in the main graph only."
        return f"Measuring {earlier.path.name} …"

    def _told(self) -> str:
        findings, painting = self._desk.document.state.findings, self._desk.document.session.painting
        if findings is None or findings.against is None:
            return self._waiting()

        change = MetricChange.of(findings, painting.metric, painting.limits)
        return f"{findings.name} against {findings.against.name}" if change is None else told(change)

    def _fit(self) -> None:
        """Fits the text into its line; all of it is in the tooltip."""
        metrics = self.text.fontMetrics()
        self.text.setText(metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.text.width()))
        self.text.setToolTip(self._text)
        self.setAccessibleName(self._text)


def told(change: MetricChange) -> str:
    """Says which run stands against which, the outputs, and how many nodes changed."""
    graph, outputs = change.now.graph, []
    for tensor in graph.outputs.tolist():
        text = change.told(tensor)
        if text:
            outputs.append(f"{graph.tensor_names[tensor]}: {text}")
    worse, better = (int((change.signs == turn).sum()) for turn in (1, -1))
    counts = (
        f"{worse:,} worse, {better:,} better by {change.told_from} or more" if worse or better else "no node changed"
    )
    more = [f"{len(outputs) - _OUTPUTS:,} more outputs"] if len(outputs) > _OUTPUTS else []
    verdict = verdict_change(change)
    if verdict:  # which says more than any number
        return " · ".join([change.title, verdict, counts, *outputs[:_OUTPUTS], *more])
    return " · ".join([change.title, *outputs[:_OUTPUTS], *more, counts])


def verdict_change(change: MetricChange) -> str:
    """Says which verdict on the model became which other one; "": it is the same, or not known."""
    from errorflow.case.regression.lines import blame_before, verdict_change_text

    return verdict_change_text(change.now.blame, blame_before(change.before))
