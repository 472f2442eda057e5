"""The question as a sentence whose words can be chosen."""

from collections.abc import Callable, Iterator

from PySide6.QtCore import Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from errorflow.study.rank.model import Question
from errorflow_viewer.kit.layouts import flowing, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.ranking import asking
from errorflow_viewer.panels.ranking.asking import Around, Choice

Choices = Callable[[Question, Around], Iterator[Choice]]
_PARTS: tuple[tuple[str, str, str, tuple[Choices, ...]], ...] = (
    ("Rank", "kind", "What is switched as one", (asking.kinds, asking.only)),
    ("by", "measure", "What is measured of it", (asking.measures, asking.kept)),
    ("in", "metric", "Metrics", (asking.metrics,)),
    ("at", "place", "Where it is measured", (asking.places,)),
    ("on", "sample", "Samples", (asking.samples,)),
)
# Logical px, of a word: names of tensors are long.
_WIDEST = 220


class Head(QWidget):
    """Asks nothing by itself: `chosen` has what the step is called, and the other question."""

    chosen = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._question, self._around = Question(), Around()
        # Asked for when a menu opens: what is selected changes often.
        self.look_around: Callable[[], Around] = Around
        self.words: dict[str, QPushButton] = {}
        widgets: list[QWidget] = []
        for word, key, name, choices in _PARTS:
            label = text_label(word, muted=True)
            button = self.words[key] = QPushButton()
            button.setAccessibleName(name)
            button.setMaximumWidth(_WIDEST)
            button.setMenu(self._menu(button, choices))
            label.setBuddy(button)
            widgets += [label, button]
        row = flowing(GRID, *widgets)
        row.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.setLayout(row)

    def show_question(self, question: Question, around: Around) -> None:
        self._question, self._around = question, around
        texts = {
            "kind": asking.kind_text(question),
            "measure": asking.measure_text(question),
            "metric": asking.metric_text(question),
            "place": asking.place_text(question),
            "sample": asking.sample_text(question, around),
        }
        for key, text in texts.items():
            self.words[key].setText(text.replace("&", "&&"))
        self.words["place"].setToolTip(", ".join(question.outputs) if question.outputs else "All outputs of the model")
        names = [name for group in question.only for name in group]
        self.words["kind"].setToolTip("\n".join(names[:20]) if names else "All that the plan quantizes")

    def _menu(self, button: QPushButton, choices: tuple[Choices, ...]) -> QMenu:
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(lambda: self.fill(menu, choices))
        return menu

    def fill(self, menu: QMenu, choices: tuple[Choices, ...]) -> None:
        menu.clear()
        self._around = self.look_around()
        for number, offered in enumerate(choices):
            if number:
                menu.addSeparator()
            group = QActionGroup(menu)
            for choice in offered(self._question, self._around):
                if choice.apart:
                    menu.addSeparator()
                action = menu.addAction(choice.text.replace("&", "&&"))
                action.setToolTip(choice.tip)
                action.setCheckable(True)
                action.setChecked(choice.checked)
                action.setEnabled(choice.enabled)
                if not choice.many:
                    group.addAction(action)
                action.triggered.connect(lambda _=False, choice=choice: self.chosen.emit(choice.step, choice.question))
