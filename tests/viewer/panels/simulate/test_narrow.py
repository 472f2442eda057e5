"""The form and its foot in a narrow dock, in text of twice the size."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.study.simulate.basis import Basis
from errorflow_viewer.kit.jobs import Step
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels.form_parts import Link
from errorflow_viewer.panels.simulate.draft import SimulationDraft
from errorflow_viewer.panels.simulate.form import SimulationForm
from errorflow_viewer.panels.simulate.knowledge import Knowledge
from errorflow_viewer.panels.simulate.panel import Foot

# The least dock in such text.
WIDE = 308


@pytest.fixture(autouse=True)
def large(appearance: Appearance) -> Iterator[None]:
    appearance.set_text_size(200)
    yield
    appearance.set_text_size(100)


def settled() -> None:
    for _ in range(4):  # a layout in a layout waits for the other
        QCoreApplication.processEvents()


def test_the_form_has_room_beside_no_scroll_bar_but_the_one_that_goes_down(qtbot: QtBot) -> None:
    form = SimulationForm()
    qtbot.addWidget(form)
    form.show_draft(
        SimulationDraft(Basis(others=("/data/a folder with a very long name of samples",))), Knowledge(), ()
    )
    for part in (form.result, form.pictures, form.sizes):
        part.show()
    form.resize(WIDE, 400)
    form.show()
    settled()
    page = form.widget()
    assert page is not None and page.width() == form.viewport().width()
    # What grows beyond that in some other language can be reached all the same.
    assert form.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded


def test_the_buttons_of_the_foot_stand_below_each_other_where_they_must(qtbot: QtBot) -> None:
    around, foot = QWidget(), Foot()  # a window of its own would be as wide as it asks for
    qtbot.addWidget(around)
    foot.setParent(around)
    foot.show_steps((Step("simulate", "Simulating", 1, 2),))
    foot.simulate.setText("Simulate again")
    for width, is_stacked in ((WIDE, True), (900, False), (WIDE, True)):
        foot.resize(width, 400)
        around.show()
        settled()
        assert (foot.more.y() > foot.stop.y() > foot.simulate.y()) == is_stacked
        assert foot.more.geometry().right() < width


def test_a_link_without_room_loses_its_middle_and_keeps_its_name(qtbot: QtBot) -> None:
    link = Link("Evaluate on other samples…")
    qtbot.addWidget(link)
    link.show()
    whole = link.sizeHint().width()
    assert link.minimumSizeHint().width() < whole / 2 and link.text() == "Evaluate on other samples…"
    link.resize(link.minimumSizeHint())
    assert not link.grab().isNull()
