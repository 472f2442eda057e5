"""Samples for the model: chosen, proposed, given before, or made up; and what they were recognised as."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QToolButton

from errorflow.run.samples.asked import SampleSpec
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import GRID
from errorflow_viewer.panels.form_parts import Choice, Count, Fields, Group, Note, Problem
from errorflow_viewer.panels.simulate.told import in_panel

if TYPE_CHECKING:
    from errorflow.study.simulate.recognised import Recognised

MADE_UP, NONE = "Made-up random values", "Choose or drop samples"
TITLE, DROP = "Samples", "Drop to take these as samples"
FILTER = "Samples (*.npy *.npz *.bin *.tar *.jpg *.jpeg *.png *.bmp *.webp);;All files (*)"
WARNING = "Random values: what they show says nothing about real data."
# Of a value that stands for made-up samples.
_MADE_UP = ("made up",)


class SamplesBox(Group):
    """The chosen ones, and the ways to others."""

    chosen = Signal(object)  # tuple of paths
    made_up = Signal(int, int)  # seed and count

    def __init__(self) -> None:
        super().__init__(TITLE)
        self.folder = str(Path.home())
        self.choice = Choice("Samples")
        self.choice.activated.connect(self._on_chosen)
        self.files = self._button("file", "Choose files with samples: .npy, .npz, .bin, pictures or a .tar of pictures")
        self.files.clicked.connect(self.ask_for_files)
        self.place = self._button("folder", "Choose a folder with samples: a file each, or a folder per input")
        self.place.clicked.connect(self._ask_for_folder)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(self.choice, 1)
        row.addWidget(self.files)
        row.addWidget(self.place)
        self.box.addLayout(row)
        self.seed, self.count = Count(""), Count("", 1)
        self.count.setMaximum(10_000)
        for field in (self.seed, self.count):
            field.valueChanged.connect(self._on_made_up)
        self.fields = Fields()
        self.fields.add("Seed", self.seed, "The same seed always gives the same values")
        self.fields.add("How many", self.count, "So many samples are made up")
        self.warning = Note(muted=False)
        self.text, self.problem = Note(), Problem()
        self.add(self.fields, self.warning, self.text, self.problem)

    def show_samples(self, asked: SampleSpec, offered: Sequence[tuple[str, ...]]) -> None:
        """`offered`: what else one may mean, the likeliest first."""
        is_made_up = not asked.paths and asked.seed is not None
        rows: list[tuple[str, object]] = [] if asked.paths or is_made_up else [(NONE, ())]
        ways = dict.fromkeys([*([asked.paths] if asked.paths else []), *offered])
        rows += [(called(paths), paths) for paths in ways]
        rows.append((MADE_UP, _MADE_UP))
        self.choice.show_rows(rows, _MADE_UP if is_made_up else asked.paths)
        self.choice.setToolTip("\n".join(asked.paths))
        self.fields.setVisible(is_made_up)
        self.warning.say(WARNING if is_made_up else "")
        if asked.seed is not None:
            self.seed.show_value(asked.seed)
        self.count.show_value(asked.count)

    def show_aim(self, is_aimed: bool) -> None:
        """While files are dragged over the form."""
        self.heading.setText(DROP if is_aimed else TITLE)
        if is_aimed:
            self.choice.setFocus(Qt.FocusReason.MouseFocusReason)

    def show_recognised(self, found: "Recognised | None", is_looking: bool) -> None:
        """Shows what was recognised; None: nothing was given."""
        self.problem.say("")
        if found is None:
            self.text.say("Looking at the samples …" if is_looking else "")
        elif found.problem is not None:
            self.text.say("")
            self.problem.say(in_panel(found.problem.message), in_panel(found.problem.hint))
        else:
            fixed = ", ".join(f"{name} = {size}" for name, size in found.sizes.items())
            notes = () if found.kind == "made up" else found.notes[:2]
            self.text.say(found.text, f"From the data: {fixed}." if fixed else "", *notes)

    def ask_for_files(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, "Samples", self.folder, FILTER)
        if paths:
            self.chosen.emit(tuple(paths))

    def _ask_for_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, "A folder with samples", self.folder)
        if path:
            self.chosen.emit((path,))

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(":")[0])
        icons.follow(button, icon)
        return button

    def _on_chosen(self, at: int) -> None:
        value = self.choice.itemData(at)
        value = tuple(value) if value is not None else ()  # Qt makes lists of tuples
        if value == _MADE_UP:
            self._on_made_up(0)
        elif value:
            self.chosen.emit(value)

    def _on_made_up(self, _: int) -> None:
        self.made_up.emit(self.seed.value(), self.count.value())


def called(paths: Sequence[str]) -> str:
    """Names samples as a list shows them."""
    name = partial(_name, paths[0])
    return name() if len(paths) == 1 else f"{name()} and {len(paths) - 1:,} more"


def _name(path: str) -> str:
    """Names a file with the folder around, where the name alone says little."""
    found = Path(path)
    return f"{found.parent.name}/{found.name}" if found.parent.name else found.name
