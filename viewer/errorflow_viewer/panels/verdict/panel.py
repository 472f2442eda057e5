"""The panel of the verdict: it says who is to blame, and leads there."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QImage, QPainter, QTextOption
from PySide6.QtWidgets import QFrame, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim, capital, filled_in, opened, say
from errorflow.base.values import dataclass, field, replace
from errorflow.explain.blame.model import Advice, Kind, Verdict
from errorflow_viewer.commands.api import Desk, has_findings
from errorflow_viewer.commands.copy_save.texts import offer_text
from errorflow_viewer.commands.copy_save.verdict import copy_for_ticket
from errorflow_viewer.commands.verdict_bar import SIGN, sign_color
from errorflow_viewer.commands.worst import step_worst
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.document.verdict_words import Sign, bare, headline, links_of, method_of, method_tip
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.following import always, follow
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import fill, flowing, pages, spaced, text_button
from errorflow_viewer.kit.look import LABEL, PADDING, TITLE, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.panels.empty import Empty, NoRuns
from errorflow_viewer.panels.sections import BREAK, breakable, hinted, link, plain, soft, without_breaks

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.compare.metrics.metric import Scale
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


# All that the panel says, gathered from a comparison in the background.

# Reasons why nodes could not be judged, and first bad nodes, that are listed.
REASONS, FIRST, OUTPUTS = 3, 3, 12


@dataclass(frozen=True, slots=True)
class Contributor:
    """A node that brings `share` (0…1) of the error, and in words what it is."""

    node: int
    title: str
    share: float
    share_text: str
    between: str
    what: str


@dataclass(frozen=True, slots=True)
class VerdictOutput:
    """One output; `value` by the metric on view, "" where it was not measured by that."""

    tensor: int
    name: str
    kind: Kind
    text: str
    value: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class First:
    """First node where it turns bad, and the notes on it."""

    node: int
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """One verdict with everything around it."""

    sign: Sign
    # "Node error", and what comes behind the colon.
    head: str
    sentence: str
    # Where names in it lead to.
    links: Mapping[str, str]
    method: str
    why: str
    # Of three runs.
    stages: tuple[str, ...]
    contributors: tuple[Contributor, ...]
    advice: tuple[Advice, ...]
    # A set is known that brings the output back, and a simulation in which it can be put to float.
    can_apply: bool
    first: tuple[First, ...]
    more_first: int
    follows: str
    outputs: tuple[VerdictOutput, ...]
    nodes: int
    unjudged: int
    # Reasons with how many nodes each, the most frequent first.
    reasons: tuple[tuple[str, int], ...]

    @classmethod
    def of(
        cls, compared: "Case", blame: "Blame", findings: "Findings | None", scale: "Scale | None"
    ) -> "VerdictSummary":
        """`findings` are those of the graph that was judged, if that is on view."""
        from errorflow.explain.blame.front import ends
        from errorflow.report.blame import described, followed
        from errorflow.report.stages import stages_lines

        model, graph = blame.model, blame.graph
        head, rest = model.parted
        first = ends(blame).tolist() if model.kind != "nothing" else []
        unjudged, reasons = _unjudged(blame)
        titled = {node: graph.node(node).title for node in (*first[:FIRST], *(each.node for each in model.top))}
        return cls(
            headline(compared, False).sign,
            head,
            capital(rest),
            links_of(blame),
            method_of(blame),
            method_tip(blame),
            () if compared.stages is None else tuple(stages_lines(compared.stages)),
            tuple(
                Contributor(
                    e.node,
                    titled[e.node],
                    e.share,
                    model.told(e.share),
                    model.range_text(e.node),
                    say("{} · {}", graph.op_types[e.node], described(blame, e.node)),
                )
                for e in model.top
            ),
            model.advice,
            model.remedy is not None and compared.outcome is not None,
            tuple(First(node, titled[node], blame.notes.get(node, "")) for node in first[:FIRST]),
            max(len(first) - FIRST, 0),
            followed(int(blame.front.sum()) - len(first)),
            tuple(_told_outputs(blame, findings, scale)),
            len(graph),
            unjudged,
            reasons,
        )


def _told_outputs(blame: "Blame", findings: "Findings | None", scale: "Scale | None") -> list[VerdictOutput]:
    values = None if findings is None or scale is None else findings.measured(scale).values
    found = []
    for tensor, verdict in blame.model.outputs[:OUTPUTS]:
        name = blame.graph.tensor_names[tensor]
        value = math.nan if values is None else float(values[tensor])
        said, tip = "", ""
        if scale is not None and not math.isnan(value):
            said, tip = scale.text(value), f"accumulated · {scale.label} · {scale.formula}"
        found.append(VerdictOutput(tensor, name, verdict.kind, bare(verdict), said, tip))
    return found


def _unjudged(blame: "Blame") -> tuple[int, tuple[tuple[str, int], ...]]:
    from errorflow.explain.findings.problems import parted

    left = (blame.verdicts == Verdict.NOT_MEASURED).nonzero()[0].tolist()
    why = Counter(parted(blame.notes[node])[0] for node in left if node in blame.notes)
    return len(left), tuple(why.most_common(REASONS))


def _told(wish: _Wish) -> VerdictSummary:
    scale = None if wish.findings is None else wish.findings.scale(wish.metric, wish.limits)
    return VerdictSummary.of(wish.compared, wish.blame, wish.findings, scale)


class VerdictPanel(QWidget):
    """A page with links; it comes to the front once for each comparison, if nothing is selected by then."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._raised = False
        # A link of this page is being followed.
        self._leads = False
        self.told: VerdictSummary | None = None
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
        row = listed(KEY, "Writing the verdict", reads, self._wished, _told, self._show, partial(self._show, None))
        desk.derived.add(row, widget=self)
        changed = self._document.changed
        follow(self, changed, lambda _: self._come_forward(), ("case",), always)
        follow(self, changed, lambda _: self._give_way(), ("node",), always)
        follow(self, changed, lambda _: self.worst.setEnabled(has_findings(desk)), ("model", "findings"))
        follow(self, desk.jobs.changed, self._on_jobs)
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

    def _give_way(self) -> None:
        """Gives way to the evidence of a node that is selected elsewhere; a link of this page leaves it in front."""
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

    def _show(self, told: VerdictSummary | None) -> None:
        self.told = told
        if told is None:
            self._say_what_is_missing()
            return
        self.stack.setCurrentWidget(self.content)
        self._write()

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
        """Comes once: who then looks at something else is not disturbed again."""
        state, comes = self._document.state, not self._raised
        self._raised = state.case is not None and (self._raised or self._wished(state) is not None)
        if self._raised and comes and state.is_bare and self._desk.panels.is_shown("verdict"):
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
            "apply": lambda _: self._desk.commands.run("precision.verdict"),
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
    """Draws how much of the whole, as a thin line on its track."""
    width, height = BAR
    image = QImage(round(width * scale), round((height + BELOW) * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.fillRect(QRectF(0, 0, width, height), QColor(theme.hairline))
    painter.fillRect(QRectF(0, 0, width * float(share), height), QColor(theme.error.mark))
    painter.end()
    return image


# Of bars in px, which stand so far above the line of the text beside them.
BAR, BELOW = (160, 3), 3
# As wide as a figure.
FIGURE_SPACE = "\u2007"
SHARE = "contribution · share of the power of the error at the output"


def page(told: VerdictSummary, theme: Theme) -> str:
    """Links are `node:5`, `tensor:3`, `search:…`, `explain:`, `apply:` and `problems:`; images `sign:node/light` and
    `bar:0.5/light`."""
    return "".join((_style(theme), *_head(told, theme), *_body(told, theme)))


def _style(theme: Theme) -> str:
    return (
        f"<style>a {{ color: {theme.link}; text-decoration: none; }} i {{ color: {theme.muted}; font-style: normal; }}"
        "</style>"
    )


def _head(told: VerdictSummary, theme: Theme) -> Iterator[str]:
    head = plain(told.head if told.head else "Verdict")
    yield (
        "<table cellspacing='0' cellpadding='0' style='margin: 4px 2px 0 0'><tr>"
        "<td style='padding-right: 6px; vertical-align: middle'>"
        f"<img src='sign:{told.sign}/{theme.name}' width='20' height='20'></td>"
        f"<td style='font-size: {px(TITLE)}px; font-weight: 600; vertical-align: middle'>{head}</td></tr></table>"
    )
    yield f"<p style='margin: 6px 2px 0 2px'>{_linked(told)}</p>"
    if told.method:
        looks = f"color: {theme.muted}; font-size: {px(LABEL)}px; margin: 4px 2px 0 2px"
        yield f"<p style='{looks}'>{plain(told.why)}</p>"


def _body(told: VerdictSummary, theme: Theme) -> Iterator[str]:
    yield from _section("Which step is at fault", [plain(line) for line in told.stages], theme)
    yield from _contributors(told.contributors, theme)
    yield from _advice(told, theme)
    yield from _section("Where it turns clearly bad", list(_first(told)), theme)
    yield from _outputs(told, theme)
    yield from _section("Not judged", list(_left(told)), theme)


def _section(title: str, lines: Sequence[str], theme: Theme) -> Iterator[str]:
    if lines:
        yield _title(title, theme)
        yield from (f"<p style='margin: 4px 2px 0 2px'>{breakable(line)}</p>" for line in lines)


def _title(text: str, theme: Theme) -> str:
    return (
        f"<p style='color: {theme.muted}; font-size: {px(LABEL)}px; font-weight: 600; margin: 14px 0 2px 2px'>"
        f"{plain(text)}</p>"
    )


def _contributors(contributors: Sequence[Contributor], theme: Theme) -> Iterator[str]:
    if not contributors:
        return
    yield _title("What brings the error", theme)
    for each in contributors:
        share = each.share_text.rjust(len("100 %"), FIGURE_SPACE)
        yield (
            f"<p style='margin: 8px 2px 0 2px'>{breakable(link(f'node:{each.node}', Verbatim(each.title)))}</p>"
            f"<p style='margin: 0 2px'><img src='bar:{each.share:.3f}/{theme.name}' width='{BAR[0]}'"
            f" height='{BAR[1] + BELOW}'>&nbsp; {hinted(share, SHARE)} {soft(each.between)}</p>"
            f"<p style='margin: 0 2px 0 2px'>{breakable(soft(each.what))}</p>"
        )


def _advice(told: VerdictSummary, theme: Theme) -> Iterator[str]:
    if told.advice:
        yield _title("What to do", theme)
    for advice in told.advice:
        yield f"<p style='margin: 4px 2px 0 2px'>{plain(advice.text)}</p>"
        yield f"<p style='margin: 2px 2px 0 2px'>{soft(advice.why)}</p>"
        yield (
            f"<p style='margin: 2px 2px 4px 2px; font-size: {px(LABEL)}px' title='{escape(advice.when)}'>"
            f"{soft(f'Source: {advice.source}')}</p>"
        )
    if told.can_apply:
        yield f"<p style='margin: 4px 2px 4px 2px'>{link('apply:', 'Put them to float and simulate again')}</p>"


def _first(told: VerdictSummary) -> Iterator[str]:
    for each in told.first:
        yield link(f"node:{each.node}", Verbatim(each.title))
        if each.note:
            yield soft(f"{each.note}.")
    if told.first:
        more = f"{told.more_first:,} more; " if told.more_first else ""
        said = f"{more}{told.follows}."
        yield f"{plain(said[:1].upper() + said[1:])}"
        yield link("explain:", "Show what it explains")
        yield link("search:verdict:origin", "List all origins")


def _outputs(told: VerdictSummary, theme: Theme) -> Iterator[str]:
    if not told.outputs:
        return
    yield _title("Outputs", theme)
    yield "<table width='100%' cellspacing='0' cellpadding='2'>"
    for each in told.outputs:
        yield (
            f"<tr><td>{breakable(link(f'tensor:{each.tensor}', Verbatim(each.name)))}<br>"
            f"<span title='{escape(each.text)}'>{soft(each.kind[:1].upper() + each.kind[1:])}</span></td>"
            f"<td align='right' title='{escape(each.tip)}'>{hinted(each.value, each.tip)}</td></tr>"
        )
    yield "</table>"


def _left(told: VerdictSummary) -> Iterator[str]:
    if not told.unjudged:
        return
    yield plain(f"{told.unjudged:,} of {told.nodes:,} nodes could not be judged.")
    yield from (soft(f"{count:,}: {reason}") for reason, count in told.reasons)
    yield f"{link('search:verdict:not-measured', 'List them')} &nbsp; {link('problems:', 'Problems')}"


def _linked(told: VerdictSummary) -> str:
    names: list[str] = []
    said = escape(opened(told.sentence, names), quote=False)
    return filled_in(said, [_name(name, told.links.get(name, "")) for name in names])


def _name(name: str, href: str) -> str:
    """A name that does not begin on the line before with its first slash."""
    known = Verbatim(name)
    return breakable(link(href, known) if href else plain(known)).replace(f">/{BREAK}", ">/")
