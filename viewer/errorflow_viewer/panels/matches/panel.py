"""Filter, table, and the two buttons that bring tensors together and part them."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from errorflow.base import ErrorflowError, dataclass, replace
from errorflow.case.session.model import HandPair
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived_table import BY_HAND as MEASURING
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages, spaced, text_button, text_label
from errorflow_viewer.kit.look import GRID, LABEL, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import Errors
from errorflow_viewer.panels.lines.table import LinePage, LineTable, LineView
from errorflow_viewer.panels.matches.rows import (
    CHOICES,
    COLUMNS,
    ERROR,
    NOTE,
    OTHER_SHAPE,
    RULE_COLUMN,
    SHAPE,
    MatchLine,
    MatchRows,
    lack_of,
    nodes_of,
    pair_of,
    rule_text,
)

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.compare.match.model import Match
    from errorflow.compare.metrics.metric import Scale
    from errorflow.compare.model import Comparison


Pairs = tuple[HandPair, ...]


def with_pair(pairs: Pairs, candidate: str, reference: str) -> Pairs:
    """A candidate has one partner: what was decided about it before is replaced."""
    return (*without(pairs, candidate), HandPair(candidate, reference))


def without(pairs: Pairs, candidate: str) -> Pairs:
    """Removes all that was decided about a candidate."""
    return tuple(pair for pair in pairs if pair.candidate != candidate)


def decided(pairs: Pairs, candidate: str) -> bool:
    """Whether the user said something about it."""
    return any(pair.candidate == candidate for pair in pairs)


_KEY = "match rows"
_HINTED = "model", "case", "findings", "session.hand_pairs", "session.painting"
_WILL_BE = "Which tensors of two runs belong together, and by which rule, is listed here."
_MATCH_TIP = "Bring two selected tensors together."
# Logical px, below which there is no room to count.
_NARROW = 480
_PART_TIP = "Part the selected pair; a pair by hand is taken back"


class MatchesPanel(QWidget):
    """Panel of matches; nothing is listed before one can see it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._syncing = False
        # By the number of the pair.
        self._nodes = np.zeros(0, np.int32)
        # As the rows were picked: of two pairs, the first gives the candidate.
        self._picked: list[int] = []
        self._kept: list[MatchLine] = []
        self._errors = PairErrors()
        self.hint = HintLine(desk)
        self.table: LineTable[MatchRows, MatchLine] = LineTable(COLUMNS, self)
        self._make_page()
        self._widths = needs(self.view, None)
        self.view.selectionModel().selectionChanged.connect(self._on_selection)
        self.view.activated.connect(self._on_activated)
        self.view.asked_again.connect(self._on_asked_again)
        self.nothing = Empty(_WILL_BE, "Open a model…", desk.ask_for_file)
        self.not_compared = Empty(_WILL_BE, "Compare two runs…", lambda: desk.commands.run("compare"))
        self.not_matched = Empty("This comparison was imported, and says nothing of how its tensors were matched.")
        self._lay_out()
        follow(self, self._document.changed, self._on_changed, (*_HINTED, "node"))
        work, drop = lambda match: MatchRows.of(match).prepare(), lambda: self._take(None)
        desk.derived.add(listed(_KEY, "Listing matches", ("case",), _wished, work, self._take, drop), widget=self)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resizes; in little room, names count more than the rest."""
        super().resizeEvent(event)
        share_width(self.view, self._widths, self.width())
        self.page.count.setVisible(self.width() >= _NARROW)

    # Making

    def _make_page(self) -> None:
        self.page = LinePage(self.table, CHOICES, "matches", "Filter tensors, rules and notes", several=True)
        self.page.about_to_narrow.connect(self._keep_selected)
        self.page.narrowed.connect(self._on_narrowed)
        self.view = self.page.view
        offer_table(self._desk, self.view, "matches")
        self.match_button = text_button("Match", self._bring_together)
        self.part_button = text_button("Part", self._part, _PART_TIP)
        self.page.add_to_head(self.match_button, self.part_button)
        self.problem = text_label(wraps=True, plain=True)
        self.problem.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.problem.hide()
        self.page.add_line(self.problem)
        self.lack = text_label(muted=True, wraps=True, plain=True)
        self.lack.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.lack.hide()
        self.page.add_line(self.lack)
        self.page.add_line(self.hint)

    def _lay_out(self) -> None:
        self.stack = pages(self.page, self.nothing, self.not_compared, self.not_matched)
        fill(self, self.stack)

    # Showing

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "case"} & set(fields):
            self._refresh()
        if "findings" in fields:
            self._learn_nodes()
        if {"findings", "session.painting"} & set(fields):
            self._show_errors()
        if "node" in fields:
            self._mark_selected()
        if "session.hand_pairs" in fields:
            self._refresh_buttons()

    def _refresh(self) -> None:
        state = self._document.state
        match = None if state.case is None else state.case.match
        if state.model is None:
            self.stack.setCurrentWidget(self.nothing)
        elif state.case is None:
            self.stack.setCurrentWidget(self.not_compared)
        else:
            self.stack.setCurrentWidget(self.not_matched if match is None else self.page)

    def _take(self, rows: MatchRows | None) -> None:
        chosen = self._selected_lines()
        self.table.show_rows(rows, self._errors.of(rows, self._document.state))
        self.page.refresh()
        self._share_width()
        self._learn_nodes()
        self._reselect(chosen)
        self._say_problems()
        self._tell_count()
        self._refresh_buttons()

    def _learn_nodes(self) -> None:
        findings = self._document.state.findings
        fits = findings is not None and self.isVisible()
        self._nodes = nodes_of(findings, len(findings.comparison.rows)) if fits and findings else np.zeros(0, np.int32)
        self._mark_selected()

    def _say_problems(self) -> None:
        """Says which pairs by hand could not be made."""
        match = _wished(self._document.state)
        before = 0 if match is None or match.by_rules is None else len(match.by_rules.problems)
        texts = [] if match is None or match.by_rules is None else [each.text for each in match.problems[before:]]
        self.problem.setText(" ".join(texts))
        self.problem.setVisible(bool(texts))

    def _show_errors(self) -> None:
        self.view.cells.palette = self._document.session.painting.palette
        if not self.isVisible():
            return
        self._keep_selected()
        before, errors = self.table.errors, self._errors.of(self.table.rows, self._document.state)
        if self.table.show_errors(errors):
            self._reselect(self._kept)
        if before is None or errors is None or before.notes is not errors.notes:
            self._share_width()

    def _share_width(self) -> None:
        self._widths = needs(self.view, self.table.rows, self.table.errors)
        share_width(self.view, self._widths, self.width())

    def _keep_selected(self) -> None:
        self._kept = self._selected_lines()

    def _on_narrowed(self) -> None:
        self._reselect(self._kept)
        self._tell_count()

    def _tell_count(self) -> None:
        rows = self.table.rows
        shown, total = self.table.rowCount(), 0 if rows is None else len(rows)
        left = 0 if rows is None else int(np.count_nonzero(~rows.paired))
        text = f"{shown:,} of {total:,}" if shown < total else f"{total - left:,} pairs"
        self.page.count.setText(f"{text}, {left:,} left over" if left and shown == total else text)

    # Selecting

    def _selected_lines(self) -> list[MatchLine]:
        """Lists lines in the order in which they were picked."""
        lines = [self.table.line_at(row) for row in self._picked]
        return [line for line in lines if line is not None]

    def _reselect(self, lines: list[MatchLine]) -> None:
        """Selects again, after rows have moved, those of the same tensors; without going anywhere."""
        self._picked = []
        rows = self.table.rows
        if rows is None or not lines:
            return
        names = {(line.candidate, line.reference) for line in lines}
        wanted = [at for at, line in enumerate(rows.lines) if (line.candidate, line.reference) in names]
        self._select([row for row in map(self.table.row_of, wanted) if row is not None])

    def _select(self, rows: list[int]) -> None:
        self._syncing = True
        selection = QItemSelection()
        for row in rows:
            selection.select(self.table.index(row, 0), self.table.index(row, NOTE))
        self.view.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if rows:
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.view.selectionModel().setCurrentIndex(self.table.index(rows[0], 0), flag)
            self.view.scrollTo(self.table.index(rows[0], 0))
        self._syncing = False

    def _on_selection(self) -> None:
        now = [index.row() for index in self.view.selectionModel().selectedRows()]
        kept = [row for row in self._picked if row in now]
        self._picked = [*kept, *(row for row in now if row not in kept)]
        self._refresh_buttons()
        if not self._syncing and len(now) == 1:
            node = self._node(self.table.line_at(now[0]))
            if node is not None:
                self._document.show(node)

    def _on_asked_again(self, index: QModelIndex) -> None:
        """Selects again, unless the graph has it selected."""
        if self._node(self.table.line_at(index.row())) != self._document.state.node:
            self._on_selection()

    def _node(self, line: MatchLine | None) -> int | None:
        if line is None or not 0 <= line.number < len(self._nodes):
            return None
        node = int(self._nodes[line.number])
        return node if node >= 0 else None

    def _mark_selected(self) -> None:
        """Moves to the node that is selected elsewhere."""
        node, rows = self._document.state.node, self.table.rows
        if node is None or rows is None or not len(self._nodes):
            return
        if any(self._node(line) == node for line in self._selected_lines()):
            return
        numbers = np.flatnonzero(self._nodes == node).tolist()
        found = [row for row in map(self.table.row_of, numbers) if row is not None]
        self._picked = []
        self._select(found[:1])

    def _on_activated(self, index: QModelIndex) -> None:
        node = self._node(self.table.line_at(index.row()))
        if node is not None:
            self._document.show(node)
            self._desk.focus_graph()

    # Deciding

    def _refresh_buttons(self) -> None:
        lines = self._selected_lines()
        pair = pair_of(lines)
        self.match_button.setEnabled(pair is not None)
        lack = "" if pair is not None else lack_of(lines)
        self.match_button.setToolTip(
            f"{_MATCH_TIP}\n{lack}" if pair is None else f"Bring together\n{pair[0]}\n{pair[1]}"
        )
        # Who selects one row looks at it; who selects several means to match them.
        self.lack.setText(f"Match: {lack}")
        self.lack.setVisible(bool(lack) and len(lines) > 1)
        mine = [line for line in lines if line.candidate and not line.empty]
        back = any(decided(self._document.session.hand_pairs, line.candidate) for line in mine)
        self.part_button.setText("Take back" if back else "Part")
        self.part_button.setEnabled(back or any(line.reference for line in mine))

    def _bring_together(self) -> None:
        pair = pair_of(self._selected_lines())
        if pair is not None:
            self.hint.decided(HandPair(*pair))
            pairs = with_pair(self._document.session.hand_pairs, *pair)
            self._document.edit(f"Match {pair[0]} by hand", hand_pairs=pairs)

    def _part(self) -> None:
        """Takes back what was decided about the selected tensors; if nothing was, parts them."""
        pairs = self._document.session.hand_pairs
        mine = [line.candidate for line in self._selected_lines() if line.candidate and not line.empty]
        known = [candidate for candidate in mine if decided(pairs, candidate)]
        for candidate in known:
            pairs = without(pairs, candidate)
        if not known:
            for line in self._selected_lines():
                pairs = with_pair(pairs, line.candidate, "") if line.candidate and line.reference else pairs
        self.hint.decided(HandPair(mine[0], "") if len(mine) == 1 and not known else None)
        self._document.edit("Take back matches by hand" if known else "Part matches", hand_pairs=pairs)


def _wished(state: State) -> "Match | None":
    return None if state.case is None else state.case.match


# How the columns of the matches share the room.

# Logical px: what a name needs to be read, an error with its swatch, what lies round a text, and at most a column.
_NAME, _ERROR, _ROUND, _MOST = 160, 104, 18, 150
# So many rows tell how wide a column of shapes needs to be.
_LOOKED_AT = 500


def needs(view: LineView, rows: MatchRows | None, errors: Errors | None = None) -> dict[int, int]:
    """Computes how wide the columns beside the names are to be; 0: it has nothing to say."""
    cells, head = view.fontMetrics(), QFontMetrics(font(LABEL))
    found = {ERROR: _ERROR}
    for column in (SHAPE, OTHER_SHAPE, RULE_COLUMN, NOTE):
        texts = set() if rows is None else _texts(rows, errors, column)
        widest = max(map(cells.horizontalAdvance, texts), default=0)
        title = head.horizontalAdvance(COLUMNS.titles[column])
        found[column] = min(max(widest, title) + _ROUND, _MOST) if widest else 0
    return found


def _texts(rows: MatchRows, errors: Errors | None, column: int) -> set[str]:
    """Rules and notes are few; of shapes the first ones tell."""
    if column == RULE_COLUMN:
        return {rule_text(rule) for rule in {line.rule for line in rows.lines}}
    if column == NOTE:
        return {line.note for line in rows.lines} | ({*errors.notes.values()} if errors is not None else set())
    return {rows.shown(row, column) for row in range(min(len(rows), _LOOKED_AT))}


def share_width(view: LineView, widths: Mapping[int, int], room: int) -> None:
    """Names come first, then errors, shapes, rules and notes; what there is no room for the tooltip says."""
    left = room - 2 * _NAME
    for columns in ((ERROR,), (SHAPE, OTHER_SHAPE), (RULE_COLUMN,), (NOTE,)):
        wish = sum(widths[column] for column in columns)
        for column in columns:
            view.setColumnHidden(column, not widths[column] or wish > left)
            view.horizontalHeader().resizeSection(column, widths[column])
        left -= wish if wish <= left else 0


# The line that says what becomes of pairs by hand.

# What becomes of pairs by hand: what happens next, or what came of it.


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence, and the button that does what it says is to be done; "": nothing is."""

    text: str
    button: str = ""


AGAIN, GO_ON = "Compare again", "Go on"


@dataclass(frozen=True, slots=True)
class Situation:
    """Situation: what was decided last, and how far the work on it is."""

    pair: HandPair
    compared: "Case"
    # The metric on view; None: it was not measured.
    scale: "Scale | None"
    # A comparison is running, or the pairs by hand are being measured.
    comparing: bool = False
    measuring: bool = False


def hint_of(now: Situation) -> Hint | None:
    """Makes the hint; None: there is nothing to be said of it."""
    what = f"{now.pair.candidate} and {now.pair.reference}" if now.pair.reference else now.pair.candidate
    are = "are" if now.pair.reference else "is"
    if now.comparing:
        return Hint(f"{what} {are} next, when the comparison that is running has ended.")
    if not now.compared.complete:
        return Hint(f"{what} {are} not measured, for the comparison was cancelled.", GO_ON)
    if now.measuring:
        return Hint(f"{what} {are} being measured.")
    told = _parted(now) if not now.pair.reference else _measured(now)
    return Hint(told) if told else None


def _parted(now: Situation) -> str:
    match = now.compared.match
    parted = match is not None and any(
        pair.tensor == now.pair.candidate and pair.reference is None for pair in match.pairs
    )
    return f"{now.pair.candidate} has no partner any more and is not measured." if parted else ""


def _measured(now: Situation) -> str:
    match, rows = now.compared.match, now.compared.comparison.rows
    for pair, row in zip(() if match is None else match.pairs, rows, strict=False):
        if pair.tensor == now.pair.candidate and pair.reference is not None:
            if pair.reference.info.name != now.pair.reference:
                continue
            start = f"{now.pair.candidate} was measured against {now.pair.reference}"
            if not row.values:
                return f"{now.pair.candidate} and {now.pair.reference} could not be measured: {row.note}."
            known = now.scale is not None and now.scale.key in row.values
            if now.scale is None or not known:
                return f"{start}."
            return f"{start}: {now.scale.label} {now.scale.text(row.values[now.scale.key])}."
    return ""


class HintLine(QWidget):
    """Hidden while there is nothing to say."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._failure = ""
        # What was decided here last.
        self._last: HandPair | None = None
        self.text = text_label(wraps=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names of tensors must not become markup
        self.button = text_button("", lambda: desk.compare_again())
        row = spaced(QHBoxLayout(self), PADDING, (PADDING, 0, PADDING, GRID))
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        self._show(None)
        follow(self, desk.document.changed, self._on_changed, _HINTED)
        follow(self, desk.jobs.changed, lambda _: self.refresh())
        follow(self, desk.derived.changed, lambda _: self._on_measured(), (MEASURING,))

    def decided(self, pair: HandPair | None) -> None:
        """The user is about to decide that; None: something of which there is nothing to be said."""
        self._last = pair

    def fail(self, error: ErrorflowError) -> None:
        """Fails: what was decided could not be measured."""
        self._failure = str(error)
        self.refresh()

    def refresh(self) -> None:
        self._show(Hint(self._failure, AGAIN) if self._failure else self._hint())

    def _on_measured(self) -> None:
        error = self._desk.derived.error(MEASURING)
        if error is not None:
            self.fail(error)

    def _on_changed(self, fields: Collection[str]) -> None:
        if {"model", "case", "session.hand_pairs"} & set(fields):
            self._failure = ""
        if "model" in fields:
            self._last = None
        self.refresh()

    def _hint(self) -> Hint | None:
        document, jobs, pair = self._desk.document, self._desk.jobs, self._last
        compared = document.state.case
        if compared is None or pair is None or pair not in document.session.hand_pairs:
            return None
        scale = scale_on_view(document.state)
        busy = jobs.running(COMPARING), jobs.running(MEASURING)
        return hint_of(Situation(pair, compared, scale, *busy))

    def _show(self, hint: Hint | None) -> None:
        if hint is not None:
            self.text.setText(hint.text)
            self.button.setText(hint.button)
            self.button.setVisible(bool(hint.button))
        self.setVisible(hint is not None)


# What was measured of the pairs, by the metric on view.


def scale_on_view(state: State) -> "Scale | None":
    """The metric on view with the limits of the session; None: it was not measured."""
    painting = state.session.painting
    return None if state.findings is None else state.findings.scale(painting.metric, painting.limits)


class PairErrors:
    """Remembers the last errors: limits, which may change at every move of a hand, change their colours only."""

    def __init__(self) -> None:
        self._found: tuple[MatchRows, Comparison, Errors] | None = None

    def of(self, rows: MatchRows | None, state: State) -> Errors | None:
        """Makes errors; None also while what is known is of another comparison than the rows."""
        scale, compared, before = scale_on_view(state), state.case, self._found
        if rows is None:
            self._found = None
        if rows is None or scale is None or compared is None or compared.match is not rows.match:
            return None
        if state.findings is None or state.findings.comparison is not compared.comparison:
            return None
        same = before is not None and before[0] is rows and before[1] is compared.comparison
        if same and before is not None and before[2].scale.key == scale.key:
            return replace(before[2], scale=scale)
        found = rows.errors(compared.comparison, scale)
        self._found = rows, compared.comparison, found
        return found
