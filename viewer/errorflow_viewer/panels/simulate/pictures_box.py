"""How pictures become arrays."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QLineEdit

from errorflow.run.samples.asked import Pictures
from errorflow_viewer.panels.form_parts import Choice, Fields, Group, Note
from errorflow_viewer.panels.simulate.words import PREPROCESSINGS, numbers_text, parsed_numbers

OWN = "As said below"
RIGHT_SIZE = "They have the right size"
AS_THEY_ARE = "Each as large as it is"


class PicturesBox(Group):
    """A usual way, or each step by itself."""

    changed = Signal(object)  # Pictures

    def __init__(self) -> None:
        super().__init__("Pictures")
        self.pictures = Pictures()
        self.usual, self.layout_choice, self.colour, self.resize_choice = Choice(), Choice(), Choice(), Choice()
        self.usual.activated.connect(self._on_usual)
        self.mean, self.std = QLineEdit(), QLineEdit()
        for edit, nothing, name in ((self.mean, "0", "mean"), (self.std, "1", "std")):
            edit.setPlaceholderText(nothing)
            edit.editingFinished.connect(lambda edit=edit, name=name: self._on_numbers(edit, name))
        for choice, name in ((self.layout_choice, "layout"), (self.colour, "colour"), (self.resize_choice, "resize")):
            choice.activated.connect(lambda at, choice=choice, name=name: self._give(**{name: choice.itemData(at)}))
        fields = Fields()
        fields.add("As usual for", self.usual, "Fills in the fields below")
        fields.add("Resize", self.resize_choice, "How a picture is brought to the size that the model wants")
        fields.add("Mean", self.mean, "Subtracted from pixels of 0 … 255: one number, or one per channel of the model")
        fields.add("Std", self.std, "What pixels are divided by then: one number, or one per channel of the model")
        fields.add("Channels", self.colour, "The order of channels that the model was trained with")
        fields.add("Layout", self.layout_choice, "Where the model has its channels")
        self.how, self.sum = Note(), Note()
        self.add(fields, self.how, self.sum)

    def show_pictures(self, pictures: Pictures) -> None:
        from errorflow.run.samples.resizing import NONE, RESIZES

        self.pictures = pictures
        same = next((row.label for row in PREPROCESSINGS if _alike(row.pictures, pictures)), OWN)
        self.usual.show_rows([(OWN, OWN), *((row.label, row.label) for row in PREPROCESSINGS)], same)
        resizes = [(RIGHT_SIZE, ""), *((row.key, row.key) for row in RESIZES), (AS_THEY_ARE, NONE)]
        self.resize_choice.show_rows(resizes, pictures.resize)
        self.colour.show_rows([("RGB", "rgb"), ("BGR", "bgr")], pictures.colour)
        layouts = [("As the model's shape says", ""), ("NCHW", "NCHW"), ("NHWC", "NHWC")]
        self.layout_choice.show_rows(layouts, pictures.layout)
        for edit, numbers in ((self.mean, pictures.mean), (self.std, pictures.std)):
            if parsed_numbers(edit.text()) != numbers:
                with QSignalBlocker(edit):
                    edit.setText(numbers_text(numbers))
        told = next((row.text for row in RESIZES if row.key == pictures.resize), "")
        self.how.say(f"Resized {told}." if told else "")
        self.sum.say("Values are (pixel − mean) / std, with pixels from 0 to 255.")

    def _on_usual(self, at: int) -> None:
        label = self.usual.itemData(at)
        row = next((row for row in PREPROCESSINGS if row.label == label), None)
        if row is not None:
            own = {"layout": self.pictures.layout, "colour": self.pictures.colour}
            self.changed.emit(replace(row.pictures, **own))  # type: ignore[arg-type]  # two of its fields

    def _on_numbers(self, edit: QLineEdit, name: str) -> None:
        numbers = parsed_numbers(edit.text())
        if numbers is None:
            self.sum.say(f"“{edit.text()[:40]}” is no list of numbers: write 123.7, 116.3, 103.5.")
        else:
            self._give(**{name: numbers})

    def _give(self, **changed: Any) -> None:
        pictures = replace(self.pictures, **changed)
        if pictures != self.pictures:
            self.changed.emit(pictures)


def _alike(one: Pictures, other: Pictures) -> bool:
    """But for what depends on the model."""
    return (one.mean, one.std, one.resize) == (other.mean, other.std, other.resize)
