"""Nodes of a simulation put back to float, and to other bits, with keys and menus."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from errorflow.quant.plan import FLOAT, PLANNED, Plan, Rule
from errorflow.report.legend import entries
from errorflow_viewer.commands import switching
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.switching import Target
from errorflow_viewer.document.simulation_news import NOTICE
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.node_table import KEYS, NodeTable
from errorflow_viewer.panels.node_view import NodeView
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, open_model, outcome, seen_through, simulate, simulation

SCOPE = CULPRIT.removesuffix("/conv/Conv")


@pytest.fixture
def shown(lent_window: MainWindow) -> MainWindow:
    """A window with the sample on the bench."""
    return lent_window


def node(window: MainWindow, name: str = CULPRIT) -> int:
    graph = window.document.graph
    found = None if graph is None else graph.node_index(name)
    assert found is not None
    return found


def plan(window: MainWindow) -> Plan:
    return simulation(window).plan


def verdict_of(window: MainWindow) -> str:
    found = outcome(window)
    blame = None if found is None else found.findings.blame
    return "" if blame is None else blame.model.kind


def said(window: MainWindow) -> str:
    return window.status.currentMessage()


def entry(window: MainWindow, key: str, text: str) -> Callable[[], None]:
    """A line of a submenu."""
    row = next(row for row in ACTIONS if row.key == key)
    assert row.entries is not None
    found = next(each for each in row.entries(window) if each.text == text)
    return lambda: found.run(window)


def search_field(window: MainWindow) -> QLineEdit:
    panel = window.findChild(NodesPanel)
    assert panel is not None
    return panel.search


def press_space(window: MainWindow, shift: bool = False) -> None:
    window.show()
    window.focus_graph()
    keys = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QTest.keyClick(window.view, Qt.Key.Key_Space, keys)


def test_space_puts_a_node_back_to_float(shown: MainWindow, qtbot: QtBot) -> None:
    before = outcome(shown)
    shown.document.select(node=node(shown))
    press_space(shown)
    assert plan(shown).rules == (Rule(FLOAT, FLOAT, names=(CULPRIT,)),)
    assert shown.document.undo_text == f"Keep {CULPRIT} in float"
    assert said(shown).startswith(f"Keep {CULPRIT} in float. Frees ")
    after = seen_through(shown, qtbot)
    assert before is not None
    errors = [row.value("relative_l2") for found in (before, after) if (row := found.comparison.row("probabilities"))]
    assert errors[1] < errors[0] / 2


def test_what_a_node_is_one_with_comes_along(shown: MainWindow) -> None:
    graph = shown.document.graph
    assert graph is not None
    relu = list(graph.op_types).index("Relu")
    conv = int(graph.producers[graph.node_inputs[relu][0]])
    shown.document.select(node=relu)
    press_space(shown)
    assert set(plan(shown).rules[0].names) == {graph.node_names[conv], graph.node_names[relu]}


def test_space_again_is_what_was_planned_and_known_at_once(shown: MainWindow) -> None:
    first, before = outcome(shown), plan(shown)
    shown.document.select(node=node(shown))
    press_space(shown)
    press_space(shown)
    assert plan(shown) == before
    assert outcome(shown) is first
    assert shown.document.undo_text == f"Quantize {CULPRIT} as planned"
    shown.document.undo()
    assert plan(shown).rules


def test_space_without_a_simulation_says_how_to_get_one(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.document.select(node=node(window))
    press_space(window)
    assert said(window) == switching.NOT_SIMULATED


def test_space_with_nothing_selected_says_so(shown: MainWindow) -> None:
    shown.document.select()
    press_space(shown)
    assert said(shown) == switching.NOTHING_SELECTED


def test_a_folded_group_is_switched_with_all_units_in_it(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot)
    shown = window
    shown.folds.close_all()
    qtbot.waitUntil(lambda: shown._graph_view.shown is not None and not shown._graph_view.groups)
    assert shown._graph_view.shown is not None
    shown.document.select(group=0)
    inside = shown.selection.group_nodes.tolist()
    assert inside
    press_space(shown)
    switched = [each for rule in plan(shown).rules for each in rule.names]
    assert shown.document.graph is not None
    weighted = [shown.document.graph.node_names[n] for n in inside if shown.document.graph.op_types[n] == "Conv"]
    assert set(weighted) <= set(switched)


def test_a_tensor_is_switched_on_its_own(shown: MainWindow) -> None:
    graph = shown.document.graph
    assert graph is not None
    tensor = int(graph.inputs[0])
    shown.document.select(tensor=tensor)
    press_space(shown)
    assert plan(shown).tensors == ((graph.tensor_names[tensor], FLOAT),)
    press_space(shown)
    assert plan(shown).tensors == ()


@pytest.mark.parametrize(("key", "bits"), [("16", 16), ("4", 4)])
def test_bits_are_chosen_in_the_menu(shown: MainWindow, key: str, bits: int) -> None:
    shown.document.select(node=node(shown))
    shown.commands.made[f"precision.{key}"].trigger()
    assert plan(shown).rules[0].weights == plan(shown).in_bits(bits)[1]
    assert shown.document.undo_text == f"Quantize {CULPRIT} to {bits} bits"
    shown.commands.made["precision.plan"].trigger()
    assert plan(shown).rules == ()


def test_a_wish_that_holds_already_is_no_step(shown: MainWindow) -> None:
    steps = shown.document.undo_text
    shown.document.select(node=node(shown))
    shown.commands.made["precision.8"].trigger()
    assert shown.document.undo_text == steps
    assert "nothing changes" in said(shown)


def test_weights_and_activations_are_switched_apart(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    entry(shown, "precision.weights", "Keep in float")()
    assert plan(shown).rules == (Rule("keep", FLOAT, names=(CULPRIT,)),)
    assert shown.document.undo_text == f"Keep the weights of {CULPRIT} in float"


def test_a_node_alone_is_switched_without_its_unit(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    entry(shown, "precision.alone", "Keep in float")()
    assert plan(shown).rules == (Rule(FLOAT, FLOAT, names=(CULPRIT,)),)


def test_all_of_a_type_are_one_rule(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    entry(shown, "precision.type", "Keep in float")()
    assert plan(shown).rules == (Rule(FLOAT, FLOAT, types=("Conv",)),)
    assert shown.document.undo_text == "Keep all Conv in float"


def test_all_upstream_and_all_downstream_are_ways_between_tensors(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    made = (f"{CULPRIT}_output_0",)
    entry(shown, "precision.upstream", "Keep in float")()
    assert plan(shown).rules == (Rule(FLOAT, FLOAT, ends=made),)
    shown.commands.made["precision.reset"].trigger()
    entry(shown, "precision.downstream", "To 16 bits")()
    assert (plan(shown).rules[0].names, plan(shown).rules[0].starts) == ((CULPRIT,), made)


def test_all_between_two_nodes_whichever_is_marked_first(shown: MainWindow) -> None:
    graph = shown.document.graph
    assert graph is not None
    last = graph.node_names[len(graph) - 1]
    rules = []
    for first, second in ((CULPRIT, last), (last, CULPRIT)):
        shown.document.select(node=node(shown, first))
        shown.commands.made["precision.mark"].trigger()
        shown.document.select(node=node(shown, second))
        entry(shown, "precision.between", "Keep in float")()
        rules.append(plan(shown).rules)
        shown.commands.made["precision.reset"].trigger()
    assert rules[0] == rules[1]
    assert rules[0][0].starts == (f"{CULPRIT}_output_0",)


def test_search_results_are_switched_together(shown: MainWindow) -> None:
    shown.document.search_for("type:Conv")
    assert switching.search_hits(shown).name.endswith("found by type:Conv")
    press_space(shown, shift=True)
    assert CULPRIT in plan(shown).rules[0].names
    press_space(shown, shift=True)
    assert plan(shown).rules == ()


def test_space_in_the_list_switches_the_node_there(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    view = shown.findChild(NodeView)
    assert view is not None
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert CULPRIT in plan(shown).rules[0].names


def test_shift_space_in_the_search_field_switches_what_is_found(shown: MainWindow) -> None:
    field = search_field(shown)
    field.setText("type:Conv")
    QTest.keyClick(field, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert CULPRIT in plan(shown).rules[0].names
    assert field.text() == "type:Conv"


def test_space_in_the_search_field_is_a_blank(shown: MainWindow) -> None:
    field = search_field(shown)
    field.setText("type:Conv")
    QTest.keyClick(field, Qt.Key.Key_Space)
    assert (field.text(), plan(shown).rules) == ("type:Conv ", ())


def test_shift_space_is_a_blank_while_nothing_is_simulated(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    field = search_field(window)
    field.setText("type:Conv")
    QTest.keyClick(field, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert field.text() == "type:Conv "


def graph_menu(window: MainWindow) -> list[str]:
    window.commands.show_graph_menu(QPoint(9, 9))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text().replace("&", "") for action in menu.actions()]
    menu.close()
    return texts


def test_the_menu_of_the_graph_puts_to_float_and_resets(shown: MainWindow) -> None:
    shown.show()
    shown.document.select(node=node(shown))
    before = graph_menu(shown)
    assert "To float and back" in before and "Reset all switches" not in before
    press_space(shown)
    assert "Reset all switches" in graph_menu(shown)


def test_the_menu_of_the_graph_has_no_switches_without_a_simulation(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.show()
    window.document.select(node=node(window))
    assert "To float and back" not in graph_menu(window)


def test_the_menu_of_the_graph_gives_the_view_away_where_nothing_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.show()
    assert {"Fit graph", "Copy view", "View as PNG…"} <= set(graph_menu(window))


def test_reset_takes_back_all_switches(shown: MainWindow) -> None:
    before = plan(shown)
    shown.document.select(node=node(shown))
    shown.commands.made["precision.float"].trigger()
    entry(shown, "precision.type", "To 16 bits")()
    shown.commands.made["precision.reset"].trigger()
    assert plan(shown) == before
    assert not switching.has_switches(shown)


def test_the_menu_of_the_graph_offers_precisions_only_in_a_simulation(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    window.document.select(node=node(window))
    window.commands.refresh()
    assert not window.commands.made["precision.float"].isEnabled()
    assert "Simulate the model first" in window.commands.made["precision.float"].toolTip()
    simulate(window, qtbot)
    window.commands.refresh()
    assert window.commands.made["precision.float"].isEnabled()


@pytest.mark.parametrize("who", [switching.upstream, switching.downstream, switching.of_type, switching.between])
def test_without_a_selection_nobody_is_meant(shown: MainWindow, who: Callable[[Desk], Target]) -> None:
    shown.document.select()
    assert not who(shown)


def test_switches_that_are_taken_back_leave_no_rule(shown: MainWindow) -> None:
    shown.document.select(node=node(shown))
    entry(shown, "precision.type", "Keep in float")()
    shown.commands.made["precision.plan"].trigger()
    assert plan(shown).rules[-1].activations == PLANNED
    shown.commands.made["precision.float"].trigger()
    assert plan(shown).rules[0] == Rule(FLOAT, FLOAT, types=("Conv",))


def test_what_is_switched_is_marked_at_once_and_named_in_legend_and_tooltip(shown: MainWindow, qtbot: QtBot) -> None:
    shown.document.select(node=node(shown))
    press_space(shown)
    paint = shown._graph_view.errors.paint
    assert paint is not None and paint.signs is not None and paint.signs.kept is not None
    assert "kept in float" in [entry.text for entry in entries(paint)]
    box = int(np.flatnonzero(paint.signs.kept)[0])
    seen_through(shown, qtbot)
    shown.document.undo()
    after = shown._graph_view.errors.paint
    assert after is not None and after.signs is not None
    assert after.signs.kept is None
    assert "int8" in after.note(box) or shown._graph_view.shown is None


def test_the_list_shows_what_nodes_compute_in_and_finds_it(shown: MainWindow, qtbot: QtBot) -> None:
    column = KEYS.index("precision")
    table = shown.findChild(NodeTable)
    assert table is not None
    assert table.text(node(shown), column) == "int8"
    shown.document.select(node=node(shown))
    press_space(shown)
    assert table.text(node(shown), column) == "float"
    shown.document.search_for('switched:yes precision:"float"')
    assert [table.number_at(row) for row in range(table.rowCount())] == [node(shown)]


def test_details_say_what_was_asked_and_what_it_is_with_links_that_switch(shown: MainWindow) -> None:
    details = shown.findChild(DetailsPanel)
    assert details is not None
    shown.panels.show("details")
    shown.document.select(node=node(shown))
    assert "Requested\tint8" in details.plain_text().replace(": ", "\t")
    details.text.anchorClicked.emit(QUrl("switch:16"))
    assert shown.document.undo_text == f"Quantize {CULPRIT} to 16 bits"
    assert "int16, weights int16 symmetric (switched)" in details.plain_text()


def test_keys_in_a_row_cancel_without_a_word(shown: MainWindow, qtbot: QtBot) -> None:
    for name in (CULPRIT, "/block1/project/conv/Conv"):
        shown.document.select(node=node(shown, name))
        press_space(shown)
    assert not [row.notice for row in shown.banners.rows if row.notice.key == NOTICE]
    seen_through(shown, qtbot)


def test_what_the_verdict_names_is_put_to_float_at_once(shown: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(switching.of_verdict(shown)), timeout=60_000)
    target = switching.of_verdict(shown)
    shown.commands.refresh()
    assert target.name == CULPRIT

    shown.commands.made["precision.verdict"].trigger()
    assert plan(shown).rules[-1].activations == FLOAT
    assert CULPRIT in said(shown)
    qtbot.waitUntil(lambda: verdict_of(shown) == "good", timeout=60_000)
