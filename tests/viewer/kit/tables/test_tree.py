"""Lists in groups, of any depth."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from errorflow_viewer.kit.tables.table import Column
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel

COLUMNS: tuple[Column[str], ...] = (Column("Name", str), Column("Length", lambda name: str(len(name)), is_number=True))
GROUPS = (
    TreeGroup("fruit", ("apple", "fig"), (TreeGroup("stone", ("plum", "cherry")), TreeGroup("none"))),
    TreeGroup("tool"),
    TreeGroup("tree", ("oak",)),
)


def filled() -> TreeModel[str]:
    tree: TreeModel[str] = TreeModel()
    QAbstractItemModelTester(tree, QAbstractItemModelTester.FailureReportingMode.Fatal, tree)
    tree.show(GROUPS, COLUMNS, is_heading=lambda name: name == "stone")
    return tree


def outline(tree: TreeModel[str], above: QModelIndex | None = None) -> dict[str, object]:
    above = QModelIndex() if above is None else above
    places = [tree.index(row, 0, above) for row in range(tree.rowCount(above))]
    return {str(place.data()): outline(tree, place) for place in places}


def test_groups_come_first_then_what_is_inside() -> None:
    assert outline(filled()) == {
        "fruit": {"stone": {"plum": {}, "cherry": {}}, "none": {}, "apple": {}, "fig": {}},
        "tool": {},
        "tree": {"oak": {}},
    }


def test_everything_knows_what_it_is_in() -> None:
    tree = filled()
    cherry = tree.find(lambda name: name == "cherry")
    assert (cherry.data(), cherry.siblingAtColumn(1).data()) == ("cherry", "6")
    stone = tree.parent(cherry)
    assert (stone.data(), tree.parent(stone).data(), tree.parent(tree.parent(stone)).isValid()) == (
        "stone",
        "fruit",
        False,
    )
    assert [index.data() for index in tree.walk(stone)] == ["plum", "cherry"]
    assert not tree.find(lambda name: name == "rock").isValid()


def test_a_heading_is_only_read() -> None:
    tree = filled()
    assert tree.flags(tree.find(lambda name: name == "plum")) & Qt.ItemFlag.ItemIsSelectable
    assert tree.flags(tree.find(lambda name: name == "stone")) == Qt.ItemFlag.ItemIsEnabled


def test_what_is_shown_anew_takes_the_place_of_all() -> None:
    tree = filled()
    tree.show([TreeGroup("one", ("two",))], COLUMNS)
    assert outline(tree) == {"one": {"two": {}}} and tree.flags(tree.index(0, 0)) & Qt.ItemFlag.ItemIsSelectable
