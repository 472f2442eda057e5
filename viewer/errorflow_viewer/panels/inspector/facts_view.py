"""The view of facts, and below it what the user wrote on the node."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextBrowser, QVBoxLayout, QWidget

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow_viewer.commands.api import Desk, could_simulate
from errorflow_viewer.commands.copy_save.texts import offer_text
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.panels.inspector.facts import COMPARE, SIMULATE, fact_sections
from errorflow_viewer.panels.inspector.precision import Precise
from errorflow_viewer.panels.inspector.samples import sample_text
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.panels.precision_lines import follow_switch, precision_section
from errorflow_viewer.panels.sections import Line, Section, hinted, link, page, soft, without_breaks

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome


_NOTE_HEIGHT = 56


class FactsView:
    """A page of text; notes are kept in the session as they are typed, as one step of undo."""

    large = None

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._name = ""
        self._subject: Subject | None = None
        self._precise = Precise(desk, lambda: self.show(self._subject))
        self.widget = QWidget()
        self.text = QTextBrowser()
        self.text.setOpenLinks(False)
        self.text.setAcceptDrops(False)
        self.text.setAccessibleName("Facts")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.anchorClicked.connect(self._follow)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.document().setDocumentMargin(PADDING)
        offer_text(desk, self.text, "facts", lambda: without_breaks(self.text.toPlainText()))
        self.note = QPlainTextEdit()
        self.note.setAccessibleName("Note on this node")
        self.note.setPlaceholderText("Note on this node, kept with the session")
        self.note.setFixedHeight(_NOTE_HEIGHT)
        self.note.setTabChangesFocus(True)
        self.note.document().setDocumentMargin(PADDING)
        rule = QFrame()
        rule.setProperty("role", "rule")
        self.note.textChanged.connect(self._keep)
        self._end = _Leaving(self._desk.document.end_merging, self.note)
        self.note.installEventFilter(self._end)
        box = spaced(QVBoxLayout(self.widget))
        box.addWidget(self.text, 1)
        box.addWidget(rule)
        box.addWidget(self.note)

    def show(self, subject: Subject | None) -> None:
        self._subject = subject
        node = None if subject is None else subject.node
        self._name = "" if subject is None or node is None else subject.graph.node_names[node]
        self.note.setVisible(bool(self._name))
        written = self._desk.document.session.notes.get(self._name, "")
        if self.note.toPlainText() != written:
            with QSignalBlocker(self.note):
                self.note.setPlainText(written)
        if subject is None:
            self.text.clear()
            return
        precisions = self._precise.of(subject.graph)
        state = self._desk.document.state
        more = (*simulated_sections(subject, state), *self._precision(node))
        sections = list(
            fact_sections(
                subject,
                state.findings,
                precisions=precisions,
                simulated=more,
                could_simulate=could_simulate(self._desk),
            )
        )
        bar = self.text.verticalScrollBar()
        place = bar.value()
        title = subject.choice.name if node is None else subject.graph.node(node).title
        kind = "" if node is None else subject.graph.op_types[node]
        self.text.setHtml(page(title, kind, sections, self._desk.appearance.theme))
        bar.setValue(place)

    def _precision(self, node: int | None) -> tuple[Section, ...]:
        return () if node is None else (precision_section(self._desk.document, node),)

    def _follow(self, url: QUrl) -> None:
        if url.scheme() == COMPARE:
            self._desk.commands.run("compare")
        elif url.scheme() == SIMULATE:
            self._desk.studies.simulating.asked.emit()
        elif follow_switch(self._desk, url):
            return
        elif url.scheme() == SAMPLE and url.path().isdecimal():
            self._desk.studies.simulating.look_at(int(url.path()))

    def _keep(self) -> None:
        document, text = self._desk.document, self.note.toPlainText()
        notes = {name: said for name, said in document.session.notes.items() if name != self._name}
        if self._name:
            kept = {**notes, self._name: text} if text.strip() else notes
            document.edit(f"Note on {self._name}", merge=True, notes=kept)


class _Leaving(QObject):
    """Ends a step of undo when the keyboard goes elsewhere."""

    def __init__(self, end: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._end = end

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._end()
        return super().eventFilter(watched, event)


FACTS = View("facts", "Facts", FactsView)


# The link that leads to a sample.
SAMPLE = "sample"
_BY_KEY = {metric.key: metric for metric in METRICS}
_USUAL = _BY_KEY["sqnr"]
_RELATIVE = _BY_KEY["relative_l2"]


def simulated_sections(subject: Subject, state: State) -> Iterator[Section]:
    """Yields none where nothing is simulated."""
    simulated = state.simulated
    if simulated is None or simulated.outcome is None:
        return
    outcome, bench = simulated.outcome, simulated.bench
    if subject.node is not None and subject.choice.end == "output":
        yield Section("Error of the node", tuple(_node_lines(subject, outcome)))
    count = len(outcome.table.samples)
    if count > 1:
        chosen = _BY_KEY.get(state.session.painting.metric, _USUAL)
        metrics = dict.fromkeys((chosen, _USUAL))
        lines = (line for metric in metrics for line in _sample_lines(subject.choice.name, metric, outcome, bench))
        yield Section(f"On each of {count:,} samples", tuple(lines))
    elif bench.engine.samples > 1:
        yield Section("On each sample", (Line("", soft("More samples are being run.")),))


def _node_lines(subject: Subject, outcome: "Outcome") -> Iterator[Line]:
    """The same error in four ways, in units of the reference."""
    node, blame = subject.node, outcome.findings.blame
    assert node is not None
    if outcome.findings.graph.title(node) != subject.graph.title(node) or len(outcome.node_errors) <= node:
        return
    rows = [("Node, same input", float(outcome.node_errors[node]), "node", "this node alone, fed with the reference")]
    if blame is not None:
        rows = [
            ("Accumulated", float(blame.accumulated[node]), "accumulated", "in the whole run"),
            *rows,
            ("Introduced", float(blame.introduced[node]), "introduced", "what this node adds on the inputs it got"),
            ("Inherited", float(blame.inherited[node]), "inherited", "what comes with its inputs"),
        ]
    for label, value, measure, what in rows:
        text = "not known" if value != value else _RELATIVE.text(value)
        yield Line(label, hinted(text, f"{measure} · {_RELATIVE.label} · {_RELATIVE.formula}: {what}, all samples"))


def _sample_lines(name: str, metric: Metric, outcome: "Outcome", bench: "Bench") -> Iterator[Line]:
    from errorflow.study.simulate.over_samples import over_samples

    found = over_samples(outcome.table, name, metric)
    if found is None:
        return
    tip = f"accumulated · {metric.label} · {metric.formula}"
    yield Line(f"{metric.label}, median", hinted(metric.text(found.median), tip))
    yield Line("Best", hinted(metric.text(found.best), tip))
    where = link(f"{SAMPLE}:{found.worst_sample}", sample_text(bench, found.worst_sample))
    yield Line("Worst", f"{hinted(metric.text(found.worst), tip)} · {where}")
