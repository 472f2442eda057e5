"""Head of the curves: which are shown, and how."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QMenu, QPushButton, QToolButton, QWidget

from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.quant.switching import Switch
from errorflow.study.rank.curves import Kind
from errorflow_viewer.kit.layouts import flowing, text_button
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.curves.asked import HALF_WORDS, HALVES, KIND_WORDS, Asked

HEIGHT = 28
TARGETS: tuple[tuple[str, Switch], ...] = (("in float", "float"), ("in 16 bits", 16))
_TOPS = (1, 3, 5, 10, 20)
_SOME = (1, 2, 4, 8, 16, 32, 64)
_WIDEST = 220


@dataclass(frozen=True, slots=True)
class CurvesContext:
    """Things that a question can be about: samples, parts of a ranking, and what is selected."""

    samples: int = 0
    parts: int = 0
    nodes: tuple[str, ...] = ()
    called: str = ""


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """Choice of one more or one less curve."""

    text: str
    asked: Asked
    checked: bool
    enabled: bool = True
    apart: bool = False


class CurvesHead(QWidget):
    """`asked` has other curves; `changed`: the same are to be shown in another way.

    `average` and `log` stand in the panel's title.
    """

    pressed = Signal()
    asked = Signal(object)
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._asked = Asked()
        self.look_around: Callable[[], CurvesContext] = CurvesContext
        self.button = text_button("Draw the curves", lambda: self.pressed.emit())
        self.button.setProperty("primary", True)
        self.kind = _combo("Kind of curves", [text for text, _ in KIND_WORDS.values()])
        for at, (_, tip) in enumerate(KIND_WORDS.values()):
            self.kind.setItemData(at, tip, 3)  # Qt.ItemDataRole.ToolTipRole
        self.kind.activated.connect(lambda at: self.asked.emit(replace(self._asked, kind=get_args(Kind)[at])))
        self.by_metric = _combo("Metric of the curves", [metric.label for metric in METRICS])
        self.by_metric.setCurrentIndex(next(at for at, metric in enumerate(METRICS) if metric.key == "relative_l2"))
        self.by_metric.activated.connect(lambda _: self.changed.emit())
        self.target = _combo("What they are kept in", [text for text, _ in TARGETS])
        self.target.activated.connect(lambda at: self.asked.emit(replace(self._asked, to=TARGETS[at][1])))
        self.output = _combo("Output that is measured", [])
        self.output.setMaximumWidth(_WIDEST)
        self.output.activated.connect(lambda _: self.changed.emit())
        self.sets = QPushButton("Curves")
        self.sets.setToolTip("Which curves are drawn beside each other")
        self.samples = QPushButton("All samples")
        self.samples.setToolTip("How many samples are measured")
        for button, choices in ((self.sets, sets), (self.samples, samples)):
            menu = QMenu(button)
            menu.aboutToShow.connect(lambda menu=menu, choices=choices: self.fill(menu, choices))
            button.setMenu(menu)
        self.average, self.log = QToolButton(), QToolButton()
        self.average.setText("Average")
        self.average.setToolTip("Each value as the mean of all nodes up to it")
        self.log.setText("Log scale")
        self.log.setToolTip("Equal steps are equal factors of the error")
        for button_ in (self.average, self.log):
            button_.setCheckable(True)
            button_.setChecked(button_ is self.log)
            button_.toggled.connect(lambda _: self.changed.emit())
        row = flowing(
            GRID, *(self.button, self.kind, self.by_metric, self.target, self.sets, self.samples), self.output
        )
        row.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.setLayout(row)
        self.show_asked(Asked(), (), CurvesContext())

    @property
    def key(self) -> str:
        """Key of the metric."""
        return METRICS[self.by_metric.currentIndex()].key

    def show_asked(self, asked: Asked, outputs: Sequence[str], around: CurvesContext) -> None:
        self._asked = asked
        along_depth = asked.kind == "cumulative"
        self.kind.setCurrentIndex(get_args(Kind).index(asked.kind))
        self.target.setCurrentIndex(next(at for at, (_, to) in enumerate(TARGETS) if to == asked.to))
        self.target.setVisible(not along_depth)
        self.sets.setVisible(along_depth)
        count = len(asked.samples) if asked.samples else around.samples
        self.samples.setText("1 sample" if count == 1 else f"{count:,} samples" if count else "All samples")
        self.log.setEnabled(METRICS[self.by_metric.currentIndex()].scale == "log")
        known = tuple(self.output.itemText(at) for at in range(self.output.count()))
        if known != tuple(outputs):
            self.output.clear()
            self.output.addItems(list(map(Verbatim, outputs)))
        self.output.setVisible(len(outputs) > 1)

    def fill(self, menu: QMenu, choices: "Callable[[Asked, CurvesContext], Iterator[CurveChoice]]") -> None:
        menu.clear()
        for choice in choices(self._asked, self.look_around()):
            if choice.apart:
                menu.addSeparator()
            action = menu.addAction(choice.text.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(choice.checked)
            action.setEnabled(choice.enabled)
            action.triggered.connect(lambda _=False, choice=choice: self.asked.emit(choice.asked))


def sets(asked: Asked, around: CurvesContext) -> Iterator[CurveChoice]:
    """Halves, and sets of nodes that have curves of their own."""
    for half in HALVES:
        there = half in asked.halves
        rest = tuple(each for each in HALVES if (each in asked.halves) != (each == half))
        yield CurveChoice(HALF_WORDS[half], replace(asked, halves=rest), there, bool(rest))
    called = around.called if around.nodes else "the selection"
    own = (around.nodes,)
    can = bool(around.nodes)
    only, rest_of = own[0] in asked.only, own[0] in asked.without
    yield CurveChoice(
        f"Only {called}", replace(asked, only=_turned(asked.only, around.nodes)), can and only, can, apart=True
    )
    more = replace(asked, without=_turned(asked.without, around.nodes))
    yield CurveChoice(f"All but {called}", more, can and rest_of, can)
    for top in (each for each in _TOPS if not around.parts or each < around.parts):
        tops = tuple(sorted({*asked.tops} ^ {top}))
        text = f"All but the top {top} of the ranking" if top > 1 else "All but the first of the ranking"
        yield CurveChoice(text, replace(asked, tops=tops), top in asked.tops, apart=top == _TOPS[0])
    if asked.only or asked.without or asked.tops:
        bare = replace(asked, only=(), without=(), tops=())
        yield CurveChoice("Only the whole model", bare, False, apart=True)


def samples(asked: Asked, around: CurvesContext) -> Iterator[CurveChoice]:
    for count in (each for each in _SOME if each < around.samples):
        numbers = tuple(range(count))
        text = "The first sample" if count == 1 else f"The first {count:,} samples"
        yield CurveChoice(text, replace(asked, samples=numbers), asked.samples == numbers)
    yield CurveChoice("All samples", replace(asked, samples=()), not asked.samples)


def _turned(known: tuple[tuple[str, ...], ...], one: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(each for each in known if each != one) if one in known else (*known, one)


def _combo(name: str, texts: list[str]) -> QComboBox:
    found = QComboBox()
    found.addItems(texts)
    found.setAccessibleName(name)
    found.view().setAccessibleName(name)
    found.setFixedHeight(HEIGHT)
    return found
