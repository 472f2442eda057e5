"""msprobe's statistics and its SQLite file, which is not trusted."""

import json
import math
import sqlite3
from pathlib import Path

import pytest

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.compare.results import read_results
from errorflow.vendors.ascend.results import msprobe_graph as module
from errorflow.vendors.ascend.results.msprobe_graph import MSPROBE_GRAPH, opened
from result_samples import CONV, DATA, NODES, graph_file

STATISTICS = {f"{CONV}.output.0": {"Max": 1.0, "MaxRelativeErr": "12.5%", "MinRelativeErr": "N/A"}}


def test_every_tensor_of_a_call_is_a_row() -> None:
    (table,) = read_results(DATA / "msprobe-dump.json")

    assert [row.name for row in table.rows] == [
        f"{CONV}.input.0",
        f"{CONV}.input.bias",
        f"{CONV}.output.0",
        "Module.fc.Linear.parameters_grad.weight.0",
    ]
    assert (table.judging, table.generation) == ((), "task statistics, level L1")


def test_a_tensor_has_its_statistics() -> None:
    (table,) = read_results(DATA / "msprobe-dump.json")
    row = table.rows[0]

    assert (row.op_type, row.shape, row.dtype, row.names) == ("conv2d", (1, 3, 8, 8), "float32", (CONV,))
    assert row.values == {"msprobe.max": 1.5, "msprobe.min": -1.5, "msprobe.mean": 0.25, "msprobe.norm": 12.5}
    assert math.isnan(table.rows[1].values["msprobe.max"])


def test_nodes_have_verdicts_and_tensors_numbers(tmp_path: Path) -> None:
    nodes, tensors = read_results(graph_file(tmp_path / "compare.vis.db"))

    assert [(row.name, *row.values.values()) for row in nodes.rows] == [
        (CONV, 1.0),
        ("Module.fc.Linear.forward.0", 0.5),
        ("Functional.relu.0.forward",),
    ]
    assert nodes.generation == "newer (three verdicts)"
    assert nodes.rows[2].notes == ("It stands for nothing in the other run.",)
    assert [row.name for row in tensors.rows] == [f"{CONV}.input.0", f"{CONV}.input.1", f"{CONV}.output.0"]


def test_numbers_of_values_have_their_own_definitions(tmp_path: Path) -> None:
    _, tensors = read_results(graph_file(tmp_path / "compare.vis.db"))
    row = tensors.rows[2]

    assert (row.shape, row.notes) == ((1, 4), ("Look here.",))
    assert row.values == {"msprobe.Cosine": 0.5, "msprobe.MaxRelativeErr": 2.0, "msprobe.OneThousandth": 0.25}
    assert tensors.rows[1].states == {"msprobe.Cosine": "unsupported", "msprobe.MaxAbsErr": "unsupported"}


def test_the_same_name_means_something_else_for_statistics(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "compare.vis.db", [(CONV, 1, 0.0, None, json.dumps(STATISTICS))])
    _, tensors = read_results(path)

    assert tensors.generation == "statistics"
    assert tensors.rows[0].values["msprobe.statistics.Max"] == 0.125
    assert tensors.rows[0].states == {"msprobe.statistics.Min": "N/A"}


@pytest.mark.parametrize(("index", "colors"), [(0.37, 4), (1.0, 6)])
def test_older_verdicts_are_a_scale(index: float, colors: int, tmp_path: Path) -> None:
    dyes = json.dumps({f"#{number}": {} for number in range(colors)})
    nodes, *_ = read_results(graph_file(tmp_path / "compare.vis.db", [(CONV, 1, index, None, None)], dyes))

    assert nodes.columns[0].key == "msprobe.precision_index.old"


def test_a_graph_of_one_run_has_no_verdicts(tmp_path: Path) -> None:
    (nodes,) = read_results(graph_file(tmp_path / "build.vis.db", [(CONV, 1, None, None, None)]))

    assert (nodes.columns, nodes.generation, nodes.rows[0].notes) == ((), "one run only", ())
    assert nodes.rows[0].extra["kind"] == "api"


def test_cells_that_are_no_json_are_problems(tmp_path: Path) -> None:
    nodes, *_ = read_results(graph_file(tmp_path / "compare.vis.db", [(CONV, 1, 1.0, "{", "[" * 100_000)]))

    assert [problem.where for problem in nodes.problems] == [f"{CONV}: input_data", f"{CONV}: output_data"]


def test_the_file_stays_as_it_was_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "compare.vis.db")
    before = path.read_bytes()

    read_results(path)

    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["compare.vis.db"]


def test_writes_that_were_not_merged_are_said(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "compare.vis.db")
    (tmp_path / "compare.vis.db-wal").write_bytes(b"something")

    nodes, *_ = read_results(path)

    assert "may be missing" in nodes.problems[-1].text


def crafted(path: Path, *statements: str) -> Path:
    """A file with the name of the table in its head, whatever that stands for."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE VIEW tb_nodes AS {ENDLESS} SELECT x AS node_name, x AS precision_index FROM n",
        "CREATE TABLE tb_nodes (other TEXT)",
        "CREATE TABLE my_tb_nodes (node_name TEXT, precision_index REAL)",
        "CREATE VIRTUAL TABLE tb_nodes USING fts5(node_name, precision_index)",
    ],
    ids=["endless view", "other columns", "other table", "virtual table"],
)
def test_what_is_no_plain_table_of_nodes_is_not_asked(statement: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no table of msprobe's nodes|could not be read"):
        read_results(crafted(tmp_path / "a.vis.db", statement))


def test_a_column_that_computes_is_not_computed(tmp_path: Path) -> None:
    path = crafted(
        tmp_path / "a.vis.db",
        "CREATE TABLE tb_nodes (node_name TEXT, precision_index REAL AS (length(hex(node_name))))",
        "INSERT INTO tb_nodes (node_name) VALUES ('a')",
    )

    with pytest.raises(FormatError, match="no table of msprobe's nodes"):
        read_results(path)


def test_a_query_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_STEPS", 10)
    monkeypatch.setattr(module, "_LOOKS", 3)
    path = graph_file(tmp_path / "a.vis.db", [NODES[2]] * 1000)

    with pytest.raises(FormatError, match="interrupted"):
        read_results(path)


def test_too_many_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 5)
    path = graph_file(tmp_path / "a.vis.db", [NODES[2]] * 6)

    with pytest.raises(FormatError, match="more than 5 rows"):
        read_results(path)


def test_nothing_but_reading_is_allowed(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "a.vis.db")

    with pytest.raises(FormatError), opened(path) as database:
        list(database.rows("tb_nodes", ["load_extension('x')"]))


def test_a_name_with_marks_of_a_uri_is_a_name(tmp_path: Path) -> None:
    nodes, *_ = read_results(graph_file(tmp_path / "a?mode=rwc#100%.vis.db"))

    assert len(nodes.rows) == 3


def test_a_torn_file_is_a_sentence(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "a.vis.db", [NODES[0]] * 500)
    path.write_bytes(path.read_bytes()[:6000])

    with Source(path) as source, pytest.raises(FormatError, match="could not be read as a SQLite file"):
        MSPROBE_GRAPH.read(source, SILENT)


def test_a_schema_that_is_no_text_is_a_sentence(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "a.vis.db")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE tb_nodes (", b"CREATE TABLE tb_nodes \xff"))

    with pytest.raises(FormatError, match="could not be read as a SQLite file"):
        read_results(path)
