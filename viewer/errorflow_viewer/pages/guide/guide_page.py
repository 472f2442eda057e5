"""The guide: questions first, then the steps on the left and the chosen one on the right."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, dataclass, replace
from errorflow.case.scenarios.call import call_of
from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.found import NOTHING, Discovered
from errorflow.case.session.model import GuideProgress
from errorflow.guides.facts import Facts, check_framework
from errorflow.guides.judging import state_of
from errorflow.guides.lying import facts_of, filling_of, is_other_case, own_of, row_of
from errorflow.guides.model import OUTCOME_LABELS, Do, Flow, Step
from errorflow.guides.writing import files_of, write_files
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.opening_jobs import LOOK
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.drop import dropped_files
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.kit.layouts import clear_layout, pages, spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, PADDING, Theme
from errorflow_viewer.kit.tables.table import Column, Index, Listing, TableModel
from errorflow_viewer.kit.wording import in_window
from errorflow_viewer.pages.guide.guide_head import GuideHead
from errorflow_viewer.pages.guide.guiding import Guiding
from errorflow_viewer.pages.guide.looking import looked, looked_again
from errorflow_viewer.pages.guide.parts import PageNotice, bare, scrolled
from errorflow_viewer.pages.guide.questions import Questions
from errorflow_viewer.pages.guide.step_body import StepBody

WIDTH = 980
FILES = "guide files"


class GuidePage(QWidget):
    """Shows the way through a guide; what is chosen makes another one, which is the session's."""

    left = Signal()

    def __init__(self, desk: Desk, guiding: Guiding) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/follow-the-guide.md")
        self._desk = desk
        self._guiding = guiding
        self._discovered = NOTHING
        # Needs of steps that the user left out, though something could stand for them.
        self._emptied: frozenset[tuple[str, str]] = frozenset()
        self._body: StepBody | None = None
        self._shown: tuple[str, str] = ("", "")
        self.setAccessibleName("Guide")
        self.setAcceptDrops(True)
        self.questions = Questions()
        self.questions.found.connect(self._begin)
        self.questions.resumed.connect(self.show_progress)
        self.list = StepList()
        self.list.chosen.connect(guiding.go_to)
        self.head, self.foot = GuideHead(), GuideFoot()
        self.head.other.clicked.connect(lambda: self.show_questions())
        self.head.look.clicked.connect(lambda: self._ask_for_folder())
        self.head.own.changed.connect(self._give_own)
        self.foot.save_all.clicked.connect(lambda: self._ask_where())
        self.foot.back.clicked.connect(lambda: self.left.emit())
        self.stack = pages(self.questions, self._make_steps())
        bare(QVBoxLayout(self)).addWidget(self.stack)
        guiding.changed.connect(self._on_changed)
        desk.appearance.changed.connect(self._on_changed)  # its own method: it ends with the page

    # What is shown

    @property
    def body(self) -> StepBody | None:
        """The step on view; None: questions are."""
        return self._body

    def show_progress(self) -> None:
        """The step that one is at, or the questions where no guide is followed."""
        found = self._guiding.at
        if found is None:
            self.show_questions()
            return
        self.stack.setCurrentIndex(1)
        self._show_step(*found)

    def show_questions(self) -> None:
        self.questions.ask({})
        self.questions.resume.setVisible(self._guiding.at is not None)
        self.stack.setCurrentIndex(0)
        self.take_keys()

    def take_keys(self) -> None:
        """Arrows and Enter are for the steps, or for the answers to the question."""
        if self.stack.currentIndex() == 1:
            self.list.setFocus()
        elif self.questions.cards:
            self.questions.cards[0].setFocus()

    def _on_changed(self) -> None:
        if self.isVisible() and (self.stack.currentIndex() == 1 or self._guiding.at is None):
            self.show_progress()

    def _show_step(self, flow: Flow, step: Step, progress: GuideProgress) -> None:
        place = (flow.key, step.key)
        stays = place == self._shown
        scroll = self._area.verticalScrollBar().value() if stays else 0
        opened = self._body.opened if self._body is not None and stays else ()
        filling = self._filling(flow, step, progress)
        keyboard = self._keyboard()
        body = StepBody(self._desk, flow, step, progress, filling, self._facts(flow, progress), opened)
        body.given.connect(self._give)
        body.written.connect(self._guiding.write)
        body.taken.connect(self._guiding.lead)
        self._replace(body)
        if not stays:
            self.notice.hide()
        self._shown = place
        self.head.title.setText(flow.title)
        self.head.title.setToolTip(flow.source)
        self.head.own.folder = self._desk.settings.last_folder
        self.head.own.show_given(flow, progress.given)
        self.list.show_steps(flow, progress, step.key, self._desk.appearance.theme)
        self._show_foot(flow, step, progress, filling)
        self._lead_keys()
        self._page.adjustSize()
        self._area.verticalScrollBar().setValue(scroll)
        if keyboard:
            self._give_keyboard(body, keyboard if stays else "")
        if stays:
            QTimer.singleShot(0, body, lambda: self._settle(body, scroll, keyboard))

    def _settle(self, body: StepBody, scroll: int, keyboard: str) -> None:
        """Once it is laid out: the step stays where it was read, and the keyboard in what it was in."""
        if body is not self._body:
            return
        self._area.verticalScrollBar().setValue(scroll)
        if keyboard and QApplication.focusWidget() is None:
            self._give_keyboard(body, keyboard)
        held = QApplication.focusWidget()
        if held is not None and body.isAncestorOf(held):
            self._area.ensureWidgetVisible(held)

    def _keyboard(self) -> str:
        """Finds what has the keyboard in the step on view, by its name; "": nothing there."""
        found = QApplication.focusWidget()
        if found is None or self._body is None or not self._body.isAncestorOf(found):
            return ""
        return found.accessibleName() or type(found).__name__

    def _give_keyboard(self, body: StepBody, name: str) -> None:
        """Gives the keyboard to what is called so in the step that was made anew; else to the list."""
        there = (widget for widget in body.findChildren(QWidget) if widget.accessibleName() == name)
        takers = (widget for widget in there if widget.focusPolicy() != Qt.FocusPolicy.NoFocus)
        taker: QWidget = next(takers, self.list) if name else self.list
        taker.setFocus()

    def _replace(self, body: StepBody) -> None:
        if self._body is not None:
            self._column.removeWidget(self._body)
            self._body.hide()
            self._body.deleteLater()
        self._body = body
        self._column.insertWidget(0, body)
        body.show()  # what is not seen yet takes no keyboard

    def _lead_keys(self) -> None:
        """Leads the tabulator as one reads: steps, body, foot. What was made last would come last."""
        body = [] if self._body is None else self._body.findChildren(QWidget)
        before: QWidget = self.list
        for widget in (*body, self.foot.copy_call, self.foot.save_all, self.foot.back, *self.buttons):
            takes = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
            if takes and widget.window() is self.window():  # what drops down from a box is a window of its own
                QWidget.setTabOrder(before, widget)
                before = widget

    def _show_foot(self, flow: Flow, step: Step, progress: GuideProgress, filling: Filling) -> None:
        facts = self._facts(flow, progress)
        lack = filling.lack(row_of(step)) if step.scenario else ""
        first = step.do[0].call if step.do else None
        found = filling.setup(row_of(step))
        call = call_of(found) if step.scenario and not lack else first(facts) if first else ""
        self.foot.show_call(call, lack)
        self.foot.save_all.setVisible(bool(files_of(flow, facts, step)))
        self.foot.clear()
        is_open = not progress.step(step.key).outcome
        for place, do in enumerate(step.do):
            pressed = partial(self._guiding.run, do.action, found.files) if do.action else partial(self._compare, step)
            why_not = self._guiding.lack(do.action) if do.action else lack
            self.foot.add(do, pressed, why_not, primary=place == 0 and is_open)

    @property
    def buttons(self) -> list[QPushButton]:
        """Buttons that the step can be done with."""
        return self.foot.buttons

    # What is chosen

    def forget(self) -> None:
        """Forgets what lies in the folders of another case."""
        self._discovered, self._emptied = NOTHING, frozenset()
        self.head.forget()
        self._on_changed()

    def recall(self) -> None:
        """Recalls what the session holds for needs, where nothing was looked through since it was opened."""
        found, setup = self._guiding.at, self._desk.document.session.setup
        if found is None or self._discovered is not NOTHING:
            return
        known = sorted(found[2].files | frozenset(() if setup is None else setup.files.values()))

        def take(seen: Discovered) -> None:
            if seen.paths:
                self._take_found(seen)

        if known:
            text = f"Looking through {known[0].name}"
            self._desk.jobs.start(LOOK, text, partial(looked_again, known), take, ignore_failure)

    def _begin(self, flow: Flow, answers: Mapping[str, str]) -> None:
        self._guiding.begin(flow, answers)
        self._take_own()
        self.show_progress()
        self.list.setFocus()

    def _take_own(self) -> None:
        """The model on view is the user's, if it can be the original."""
        found, model = self._guiding.at, self._desk.document.model
        if found is None or model is None or found[2].given.model is not None:
            return
        if model.format == "ONNX model" and found[0].framework in ("", "onnx"):
            self._guiding.take_own(replace(found[2].given, model=model.path))

    def _give_own(self, name: str, value: object) -> None:
        at = self._guiding.at
        try:
            check_framework(
                value if name == "model" and isinstance(value, Path) else None, at[0].framework if at else ""
            )
        except ErrorflowError as error:
            self.notice.show_text(f"{error.message} {error.hint}", "warning")
            return
        self._guiding.give_own(**{name: value})

    def _filling(self, flow: Flow, step: Step, progress: GuideProgress) -> Filling:
        emptied = {need for key, need in self._emptied if key == step.key}
        return filling_of(flow, step, progress, self._discovered, emptied)

    def _facts(self, flow: Flow, progress: GuideProgress) -> Facts:
        return facts_of(flow, progress, self._discovered, self._guiding.file)

    def _give(self, need: str, path: Path | None) -> None:
        at = self._guiding.at
        if at is None:
            return
        place = (at[1].key, need)
        self._emptied = self._emptied - {place} if path is not None else self._emptied | {place}
        self._guiding.give(need, path)
        self.show_progress()
        if path is not None:
            self.look_through([path], need)

    def _compare(self, step: Step) -> None:
        found = self._guiding.at
        if found is not None:
            flow, _, progress = found
            row = row_of(step)
            filling = self._filling(flow, step, progress)
            if not filling.lack(row):
                self._guiding.compare(filling.setup(row))

    def look_through(self, paths: Sequence[Path], need: str = "") -> None:
        """Finds out in the background what lies there; the needs of all steps may take it.

        `need`: it was given for that one, for which the only thing stands that fits in there.
        """

        def take(found: Discovered) -> None:
            self._take_found(found)
            self._take_only(found, paths, need)

        self._desk.jobs.start(LOOK, f"Looking through {paths[0].name}", partial(looked, paths), take, ignore_failure)

    def _take_only(self, found: Discovered, paths: Sequence[Path], need: str) -> None:
        at = self._guiding.at
        wanted = None if at is None else next((each.need for each in at[1].wanted if each.need.key == need), None)
        if at is None or wanted is None or at[2].step(at[1].key).files.get(need) not in paths:
            return
        fitting = [each.path for each in found.found if wanted.accepts(each)]
        if len(fitting) == 1 and fitting[0] not in paths:
            self._guiding.give(need, fitting[0])

    def _take_found(self, found: Discovered) -> None:
        at = self._guiding.at
        if at is not None and is_other_case(at[0], at[2].given, found):
            text = "There is another model. What this guide found and was given is of the one before."
            self.notice.show_text(text, "warning", "Start anew", lambda: self._start_anew(at[0], found))
        self._discovered = Filling(self._discovered).with_found(found).discovered
        self.head.show_found(found)
        if at is not None:
            self._guiding.take_own(own_of(at[0], at[2].given, self._discovered))
        self.show_progress()

    def _start_anew(self, flow: Flow, found: Discovered) -> None:
        self.forget()
        self._guiding.begin(flow, flow.answers, anew=True)
        self._take_found(found)

    def save_files(self, folder: Path, force: bool = False) -> None:
        """Saves all settings and scripts of the step, none of which replaces another one unasked."""
        found = self._guiding.at
        if found is None:
            return
        flow, step, progress = found
        files = files_of(flow, self._facts(flow, progress), step)
        self._desk.jobs.start(
            FILES,
            f"Writing into {folder.name}",
            lambda _: write_files(folder, files, force),
            lambda written: self.notice.show_text(
                f"{len(written):,} files were written into {folder}. Run them in that folder.", "info"
            ),
            lambda error: self._refused(folder, error),
        )

    def _refused(self, folder: Path, error: ErrorflowError) -> None:
        text = in_window(f"{error.message} {error.hint}")
        self.notice.show_text(text, "warning", "Replace them", lambda: self.save_files(folder, force=True))

    # How it is laid out

    def _make_steps(self) -> QWidget:
        page = QWidget()
        box = bare(QVBoxLayout(page))
        box.addWidget(self.head)
        self.notice = PageNotice()
        box.addWidget(self.notice)
        middle = bare(QHBoxLayout())
        middle.addWidget(self.list)
        column = QWidget()
        self._column = bare(QVBoxLayout(column))
        self._area, self._page = scrolled(column, WIDTH)
        middle.addWidget(self._area, 1)
        box.addLayout(middle, 1)
        box.addWidget(self.foot)
        return page

    def _ask_for_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, "A folder that holds a case", self._desk.settings.last_folder)
        if path:
            self.look_through([Path(path)])

    def _ask_where(self) -> None:
        folder = self._desk.settings.export_folder(self._desk.document.folder)
        path = QFileDialog.getExistingDirectory(self, "A folder for the settings and scripts", str(folder))
        if path:
            self.save_files(Path(path))

    # Events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.look_through(files)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.stack.currentIndex() == 1:
            if not isinstance(QApplication.focusWidget(), QLineEdit):  # there it says that a number is complete
                self._go_on()
        else:
            super().keyPressEvent(event)

    def _go_on(self) -> None:
        """Enter presses what stands out: where the step leads, or what it is done with."""
        first = next((button for button in self.buttons if button.isEnabled()), None)
        onward = None if self._body is None else self._body.next
        button = onward if onward is not None and onward.property("primary") else first
        if button is not None:
            button.click()


class GuideFoot(QFrame):
    """Foot with what lacks, or the call to copy; then the buttons, of which one stands out."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.call = text_label(muted=True, wraps=True, plain=True, selectable=True)
        self.lacks = text_label(muted=True, wraps=True)
        self.lacks.hide()
        self.copy_call = text_button("Copy", lambda: QGuiApplication.clipboard().setText(self.call.text()))
        self.copy_call.setProperty("link", True)
        self.copy_call.setAccessibleName("Copy the call of the command line")
        self.save_all = QPushButton("Save all files…")
        self.save_all.setToolTip("The settings and scripts of this step, into one folder")
        self.back = QPushButton("Back")
        self.back.setToolTip("Leave this page; the guide stays above the graph")
        self._doing = QHBoxLayout()
        self._doing.setSpacing(PADDING)
        row = spaced(QHBoxLayout(self), PADDING, (GAP, PADDING, GAP, PADDING))
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self.call)
        said.addWidget(self.lacks)
        row.addLayout(said, 1)
        for button in (self.copy_call, self.save_all, self.back):
            row.addWidget(button)
        row.addLayout(self._doing)

    def show_call(self, call: str, lack: str) -> None:
        self.call.setText(lack if lack else call)
        self.call.setToolTip("" if lack else "The same on the command line")
        self.copy_call.setVisible(bool(call) and not lack)

    def clear(self) -> None:
        """Clears what the step before was done with."""
        clear_layout(self._doing)
        self.lacks.hide()

    def add(self, do: Do, pressed: Callable[[], None], lack: str, primary: bool) -> None:
        """`lack`: why it cannot be done yet; "": it can."""
        button = QPushButton(do.label)
        button.setProperty("primary", primary)
        button.setToolTip(lack if lack else do.where)
        if lack and do.instead:
            self.lacks.setText(f"{do.label}: {lack}. {do.instead}")
            self.lacks.show()
        button.setAccessibleDescription(lack)
        button.setEnabled(not lack)
        button.clicked.connect(lambda: pressed())
        self._doing.addWidget(button)

    @property
    def buttons(self) -> list[QPushButton]:
        """Buttons that the step can be done with."""
        items = (self._doing.itemAt(at) for at in range(self._doing.count()))
        found = (None if item is None else item.widget() for item in items)
        return [widget for widget in found if isinstance(widget, QPushButton)]


# The steps of a guide as a list: which are done, which failed, where one is.

SIGN, STEP_LIST_WIDTH = 16, 264
# The sign of each state, and what it says.
_SIGNS = {"done": "check", "close": "info", "failed": "problems", "now": "right", "later": "step"}
_SAID = {"done": "done", "close": "look closer", "failed": "failed", "now": "you are here", "later": "not done yet"}


@dataclass(frozen=True, slots=True)
class StepLine:
    """Text of a row, and the key of its step."""

    key: str
    text: str
    tip: str
    spoken: str
    icon: QIcon


_COLUMNS: tuple[Column[StepLine], ...] = (
    Column(
        "Step",
        lambda line: line.text,
        icon=lambda line: line.icon,
        cell_tip=lambda line: line.tip,
        spoken=lambda line: line.spoken,
    ),
)


class StepList(QListView):
    """A row per step; choosing one goes to it."""

    chosen = Signal(str)  # the key of a step

    def __init__(self) -> None:
        super().__init__()
        self.table: TableModel[StepLine] = TableModel(self, _COLUMNS)
        self.setModel(self.table)
        self.setItemDelegate(_Wrapped(self))
        self.setFixedWidth(STEP_LIST_WIDTH)
        self.setWordWrap(True)
        self.setIconSize(QSize(SIGN, SIGN))
        self.setSpacing(2)
        self.setAccessibleName("Steps of the guide")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._filling = False
        self.selectionModel().currentChanged.connect(self._on_chosen)

    def show_steps(self, flow: Flow, progress: GuideProgress, at: str, theme: Theme) -> None:
        lines = [self._line(flow, progress, number, theme) for number in range(len(flow.steps))]
        keys = [step.key for step in flow.steps]
        self._filling = True
        self.table.show(Listing(lines, _COLUMNS))
        if at in keys:
            self.setCurrentIndex(self.table.index(keys.index(at), 0))
        self._filling = False

    def _line(self, flow: Flow, progress: GuideProgress, number: int, theme: Theme) -> StepLine:
        step = flow.steps[number]
        state, done = state_of(flow, progress, step), progress.step(step.key)
        optional = " (optional)" if step.optional else ""
        outcome = OUTCOME_LABELS.get(done.outcome, _SAID[state])
        return StepLine(
            step.key,
            f"{number + 1}  {step.title}{optional}",
            f"{step.title}: {outcome}{f', {done.when}' if done.when else ''}",
            f"Step {number + 1}, {step.title}: {outcome}",
            QIcon(icons.pixmap(_SIGNS[state], _color(state, theme), SIGN, self.devicePixelRatioF())),
        )

    def _on_chosen(self, index: QModelIndex) -> None:
        line = self.table.item_at(index.row())
        if line is not None and not self._filling:
            self.chosen.emit(line.key)


class _Wrapped(QStyledItemDelegate):
    """Text of as many lines as it takes beside the sign."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        room = QRect(0, 0, STEP_LIST_WIDTH - SIGN - 4 * PADDING, 1000)
        height = option.fontMetrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data())).height()
        return QSize(0, height + PADDING)


def _color(state: str, theme: Theme) -> str:
    """Loud only where something is wrong."""
    colors = {"done": theme.accent, "close": theme.warning.mark, "failed": theme.error.mark, "now": theme.text}
    return colors.get(state, theme.disabled)
