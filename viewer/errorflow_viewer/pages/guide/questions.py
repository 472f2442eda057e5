"""Questions on what the user has, with cards, whose answers lead to a guide."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from errorflow.guides.model import GuideAnswer
from errorflow.guides.table import fitting, next_question, questions
from errorflow_viewer.commands.api import Entry
from errorflow_viewer.kit.layouts import clear_layout, spaced, text_button
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.guide.parts import heading, scrolled, wrapped
from errorflow_viewer.pages.start.recent_card import Card

WIDTH, COLUMNS = 860, 2
_STORY = (
    "The guide leads through the vendor's own method: it says what each step needs and how to obtain it, holds the "
    "result against the vendor's thresholds, and says what comes next and why."
)


class Questions(QWidget):
    """One question at a time; answers that were given stand above it and can be taken back."""

    found = Signal(object, object)  # Flow, the answers
    resumed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, str] = {}
        self.cards: list[Card] = []
        title = QLabel("Find a loss of accuracy step by step")
        title.setFont(font(DISPLAY, strong=True))
        self.resume = text_button("Back to the steps", lambda: self.resumed.emit())
        self.resume.setProperty("link", True)
        self.resume.hide()
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.resume)
        column = QWidget()
        box = spaced(QVBoxLayout(column), PADDING, (GAP, 2 * GAP, GAP, GAP))
        box.addLayout(head)
        box.addWidget(wrapped(_STORY, muted=True))
        box.addSpacing(GAP)
        self._given = QVBoxLayout()
        self._given.setSpacing(0)
        box.addLayout(self._given)
        self.question = heading("")
        box.addWidget(self.question)
        self._grid = QGridLayout()
        self._grid.setSpacing(PADDING)
        for at in range(COLUMNS):
            self._grid.setColumnStretch(at, 1)
        box.addLayout(self._grid)
        box.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(column, WIDTH)[0])
        self.ask({})

    def ask(self, answers: Mapping[str, str]) -> None:
        """Goes on behind these answers; the flow that is left is found."""
        self.answers = dict(answers)
        asked = next_question(self.answers)
        if asked is None:
            (flow,) = fitting(self.answers)
            self.found.emit(flow, dict(self.answers))
            return
        question, offered = asked
        self.question.setText(question.title)
        self._show_given()
        clear_layout(self._grid)
        self.cards = [self._make_card(question.key, answer) for answer in offered]
        for at, card in enumerate(self.cards):
            self._grid.addWidget(card, at // COLUMNS, at % COLUMNS)
        if self.isVisible():
            self.cards[0].setFocus()

    def _make_card(self, question: str, answer: GuideAnswer) -> Card:
        card = Card(Entry(answer.title, lambda _: None, answer.story))
        card.setAccessibleName(f"{answer.title}. {answer.story}")
        card.chosen.connect(partial(self._choose, question, answer.key))
        return card

    def _choose(self, question: str, answer: str) -> None:
        self.ask({**self.answers, question: answer})

    def _show_given(self) -> None:
        """Each answer is a way back to its question."""
        clear_layout(self._given)
        before: dict[str, str] = {}
        for question in questions():
            if question.key not in self.answers:
                continue
            key = self.answers[question.key]
            answer = next(each for each in question.answers if each.key == key)
            button = text_button(f"{question.title} {answer.title} – change", partial(self._return, dict(before)))
            button.setProperty("link", True)
            self._given.addWidget(button)
            before[question.key] = key

    def _return(self, answers: Mapping[str, str], _pressed: bool = False) -> None:
        self.ask(answers)
