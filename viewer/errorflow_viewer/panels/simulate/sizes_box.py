"""Sizes that the model leaves open and the samples do not fix."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal

from errorflow_viewer.panels.form_parts import Count, Fields, Group, Note

NOT_SAID = "not said"
# Of names, in px: they are longer than other labels, and numbers shorter.
NAMES = 148


class SizesBox(Group):
    """A field for each; hidden where there is none."""

    changed = Signal(object)  # dict of those that were said

    def __init__(self) -> None:
        super().__init__("Open sizes")
        self.counts: dict[str, Count] = {}
        self._fields = Fields(NAMES)
        self.note = Note()
        self.add(self._fields, self.note)
        self.hide()

    def show_sizes(self, names: Sequence[str], dims: Mapping[str, int]) -> None:
        if list(self.counts) != list(names):
            self._make(names)
        for name, count in self.counts.items():
            count.show_value(dims.get(name, 0))
        lacking = [name for name in names if name not in dims]
        self.note.say("The model leaves them open, and the samples do not say them." if lacking else "")
        self.setVisible(bool(names))

    def _make(self, names: Sequence[str]) -> None:
        self.box.removeWidget(self._fields)
        self._fields.deleteLater()
        self._fields = Fields(NAMES)
        self.counts = {}
        for name in names:
            count = Count(NOT_SAID)
            count.valueChanged.connect(lambda _: self.changed.emit(self._said()))
            self._fields.add(name, count, f"The size of {name} in each sample")
            self.counts[name] = count
        self.box.insertWidget(1, self._fields)

    def _said(self) -> dict[str, int]:
        return {name: count.value() for name, count in self.counts.items() if count.value()}
