"""The form: what is good enough, and how the smallest set is searched."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from errorflow.base.language import Verbatim
from errorflow.study.search.asked import Sought, Way
from errorflow_viewer.kit.look import GAP, PADDING, Theme
from errorflow_viewer.panels.form_fields import FileField, Number
from errorflow_viewer.panels.form_parts import Choice, Count, Fields, Fold, Group, Note, Problem, column
from errorflow_viewer.panels.search import words

_PYTHON = "Python files (*.py);;All files (*)"
_LABELS = "Labels (*.txt *.csv *.npy *.npz);;All files (*)"
_OWN = "own"


class SearchForm(QScrollArea):
    """Scrolls down only. `edited` has another form; what does not matter to the measure is not shown."""

    edited = Signal(object)  # Sought
    judged = Signal()  # what is written counts, or does not any more

    def __init__(self, folder: Callable[[], str]) -> None:
        super().__init__()
        self._sought = Sought()
        self._outputs: tuple[str, ...] = ()
        # What the limit is of, and why one must be given.
        self._missing = ""
        self._of: tuple[object, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._make_measure(folder)
        self._make_search(folder)
        page = self._page = QWidget()
        box = column(page, GAP)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box.addWidget(self.good)
        box.addWidget(self.how)
        box.addStretch(1)
        self.setWidget(page)
        self._connect()

    def _make_measure(self, folder: Callable[[], str]) -> None:
        self.good = Group("Good enough")
        self.measure, self.top = Choice(), Count("", 1)
        self.top.setMaximum(1000)
        self.evaluator = FileField("Evaluator", _PYTHON, folder)
        self.labels = FileField("Labels", _LABELS, folder)
        self.way, self.limit = Choice(), Number()
        self.output, self.over = Choice(), Choice()
        self.seconds = Count("", 1)
        self.seconds.setSuffix(" s")
        self.wrong = Problem()
        self._rows: dict[str, QWidget] = {
            "measure": _row("Measure", self.measure),
            "evaluator": _row("Evaluator", self.evaluator, "evaluate(run) and good_enough(original, new)"),
            "top": _row("Among first", self.top, "Right is who has the label among so many first answers"),
            "labels": _row(
                "Labels", self.labels, "A number per line, name,label per line, or an .npy of whole numbers"
            ),
            "way": _row("Must be", self.way),
            "limit": _row("Value", self.limit),
            "wrong": self.wrong,
            "output": _row("Output", self.output, "The output that counts; of several the worst one does"),
            "over": _row("Samples", self.over, "How samples are put together"),
            "seconds": _row("Time limit", self.seconds, "What takes longer for one run is stopped"),
        }
        self.good.add(*self._rows.values())

    def _make_search(self, folder: Callable[[], str]) -> None:
        self.how = Fold("Search")
        self.strategy, self.text = Choice(), Note()
        self.own = FileField("Strategy", _PYTHON, folder)
        self.kind, self.to, self.by = Choice(), Choice(), Choice()
        self.most = Count("as many as it takes")
        self._own_row = _row("File", self.own, "A class as AMCT takes it, or one of your own")
        # What is told of a strategy comes last: it may stand below what one can see.
        self.how.add(
            _row("Strategy", self.strategy),
            self._own_row,
            _row("Raise", self.kind, "What is put to float, or to 16 bits, as one"),
            _row("To", self.to),
            _row("Ranked by", self.by, "The order in which the search looks at parts"),
            _row("Evaluations", self.most, "At most so many; 0: as many as it takes"),
            self.text,
        )
        self.how.button.clicked.connect(self._show_how)

    def _connect(self) -> None:
        def edit(**changes: object) -> None:
            self.edited.emit(replace(self._sought, **changes))  # type: ignore[arg-type]  # the dataclass has the names

        def choose(choice: Choice, take: Callable[[object], None]) -> None:
            choice.activated.connect(lambda at: take(choice.itemData(at)))

        choose(self.measure, self._take_measure)
        choose(self.way, self._take_way)
        choose(self.output, lambda name: edit(outputs=(name,) if name else ()))
        choose(self.over, lambda over: edit(over=over))
        choose(self.strategy, self._take_strategy)
        choose(self.kind, lambda kind: edit(kind=kind))
        choose(self.to, lambda to: edit(to=to))
        choose(self.by, lambda by: edit(by=by))
        self.top.valueChanged.connect(lambda k: edit(measure=f"{words.TOP}{k}"))
        self.limit.changed.connect(lambda number: edit(limit=number))
        self.limit.judged.connect(self._judge)
        self.seconds.valueChanged.connect(lambda seconds: edit(seconds=float(seconds)))
        self.most.valueChanged.connect(lambda most: edit(most=most if most else None))
        self.labels.chosen.connect(lambda path: edit(labels=path))
        self.evaluator.chosen.connect(self._take_evaluator)
        self.own.chosen.connect(lambda path: edit(own_strategy=path))

    def _take_measure(self, key: object) -> None:
        if key == words.OWN:
            self.evaluator.ask()
            self.show_sought(self._sought, self._outputs)  # until a file is chosen it is what it was
            return
        measure = f"{words.TOP}1" if key == words.TOP else str(key)
        way: Way = "relative" if key in (words.TOP, words.AGREEMENT) else "bound"
        self.edited.emit(replace(self._sought, measure=measure, evaluator=None, limit=None, way=way))

    def _take_way(self, way: object) -> None:
        """Takes a way; the loss that is allowed stays what it is."""
        limit = None if "bound" in (way, self._sought.way) else self._sought.limit
        self.edited.emit(replace(self._sought, way=way, limit=limit))  # type: ignore[arg-type]  # from the list of ways

    def _take_evaluator(self, path: Path | None) -> None:
        self.edited.emit(replace(self._sought, evaluator=path, limit=None))

    def _take_strategy(self, key: object) -> None:
        if key == _OWN:
            self.own.ask()
            self.show_sought(self._sought, self._outputs)
            return
        self.edited.emit(replace(self._sought, strategy=str(key), own_strategy=None))

    @property
    def lack(self) -> str:
        """Text of what is wrong with what is written; "": nothing."""
        return self.limit.lack if self.limit.lack else self._missing

    def finish(self) -> None:
        """Takes what is being written."""
        self.limit.finish()

    def _judge(self, lack: str) -> None:
        self.wrong.say(lack)
        self.judged.emit()

    # Showing

    def show_sought(self, sought: Sought, outputs: Sequence[str]) -> None:
        self._sought, self._outputs = sought, tuple(outputs)
        self._show_measure(sought, self._outputs)
        self._show_limit(sought)
        self._show_search(sought)

    def _show_measure(self, sought: Sought, outputs: tuple[str, ...]) -> None:
        is_own, top = sought.evaluator is not None, words.top_of(sought)
        key = words.OWN if is_own else words.TOP if top else sought.measure
        self.measure.show_rows(words.measures(), key)
        self.measure.setToolTip(words.measure_tip(sought))
        if top:
            self.top.show_value(top)
        self.evaluator.show_path(sought.evaluator)
        self.labels.show_path(sought.labels)
        known = outputs if outputs else sought.outputs
        counts = bool(top) or sought.measure == words.AGREEMENT
        rows = [] if counts and known else [("All, the worst counts", "")]
        chosen = sought.outputs[0] if sought.outputs else known[0] if counts and known else ""
        self.output.show_rows([*rows, *((Verbatim(name), name) for name in known)], chosen)
        self.over.show_rows([(text, over) for over, (text, _) in words.OVERS.items()], sought.over)
        self.seconds.show_value(int(sought.seconds))
        is_metric = words.metric_of(sought) is not None
        shown = {
            "evaluator": is_own,
            "top": bool(top),
            "labels": is_own or bool(top),
            "output": len(known) > 1 and not is_own,
            "over": is_metric,
            "seconds": is_own,
        }
        for name, there in shown.items():
            self._rows[name].setVisible(there)

    def _show_limit(self, sought: Sought) -> None:
        from errorflow.study.search.asking import rule_of

        rows: list[tuple[str, object]] = list(words.ways(sought))
        rule, way = rule_of(sought), sought.way
        self.way.show_rows(rows, way)
        self.limit.unit = words.unit_of(sought)
        of = (sought.measure, sought.evaluator, way)
        if of != self._of:
            self._of = of
            self.limit.forget()
        self.limit.show_number(sought.limit)
        is_usual = rule is None or rule.kind == way
        self._missing = "" if is_usual else words.missing(way)
        if rule is None:
            self.limit.setPlaceholderText("as the file says")
        else:
            usual = f"{rule.limit * 100:g} %" if rule.kind == "relative" else f"{rule.limit:g}"
            self.limit.setPlaceholderText(f"{usual}, if nothing is given" if is_usual else "has to be given")

    def _show_search(self, sought: Sought) -> None:
        from errorflow.study.search.strategies import STRATEGIES

        rows: list[tuple[str, object]] = [(each.label, each.key) for each in STRATEGIES]
        own = sought.own_strategy
        self.strategy.show_rows([*rows, ("Your own file", _OWN)], _OWN if own else sought.strategy)
        self._own_row.setVisible(own is not None)
        self.own.show_path(own)
        text = next((each.text for each in STRATEGIES if each.key == sought.strategy), "")
        self.text.say(text if own is None else "A strategy of your own, in a process of its own.")
        self.kind.show_rows([(text, kind) for kind, (text, _) in words.KINDS.items()], sought.kind)
        self.kind.setToolTip(words.KINDS[sought.kind][1] if sought.kind in words.KINDS else "")
        self.to.show_rows([("Float", "float"), ("16 bits", 16)], sought.to)
        self.by.show_rows([(text, by) for by, (text, _) in words.RANKED.items()], sought.by)
        self.by.setToolTip(words.RANKED[sought.by][1])
        self.most.show_value(0 if sought.most is None else sought.most)
        self.how.sum_up(f"{self.strategy.currentText()}, {self.kind.currentText().lower()} {_to(sought)}")

    def dress(self, theme: Theme) -> None:
        self.wrong.dress(theme)

    def fit(self) -> None:
        """Fits what says how is searched: it is there where there is room for its fields."""
        taken = self.good.sizeHint().height() + self.how.inner.sizeHint().height() - self.text.sizeHint().height()
        self.how.fit(self.viewport().height() >= taken + GAP + 2 * PADDING)

    def _show_how(self) -> None:
        """Shows how, as far up as can be."""
        self._page.adjustSize()
        self.verticalScrollBar().setValue(self.how.y() if self.how.button.isChecked() else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


def _to(sought: Sought) -> str:
    return f"to {'float' if sought.to == 'float' else '16 bits'}"


def _row(text: str, widget: QWidget, tip: str = "") -> Fields:
    """Makes a row of its own, so that it can be hidden."""
    found = Fields()
    found.add(text, widget, tip)
    return found
