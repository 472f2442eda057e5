"""The tables that `errorflow compare` wrote come back as what they were."""

from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.imported import import_table
from errorflow.cli.main import main
from errorflow.compare.metrics.details import DETAILS
from errorflow.compare.model import Comparison, Row
from errorflow.compare.results import read_results
from errorflow.formats import read_model
from errorflow.graph.dump import TensorInfo
from errorflow.report.tables import tensors_csv

FAULT = next(sample for sample in SAMPLES if sample.key == "node_fault")
INFO = TensorInfo("a", "float32", (1, 3), 12)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a comparison wrote."""
    folder = tmp_path_factory.mktemp("out")
    runs = ["-m", str(FAULT.candidate_run), "-g", str(FAULT.reference_run), "--model", str(FAULT.model)]
    assert main(["compare", *runs, "-out", str(folder), "--estimate", "--workers", "1"]) == 0
    return folder


def test_what_was_measured_of_tensors_is_painted_again(out: Path) -> None:
    graph = read_model(FAULT.model).graph
    (table,) = read_results(out / "tensors.csv")
    found = import_table(out / "tensors.csv", graph)

    rows = {row.tensor: row for row in found.rows if row.values}
    assert (found.measure, len(rows), len(table.rows)) == ("accumulated", 32, 32)
    assert rows["probabilities"].values["cosine"] == pytest.approx(0.0287890, abs=1e-6)
    assert set(rows["probabilities"].values) >= {"cosine", "relative_l2", "sqnr", "sign_flips"}
    assert not found.scales


def test_what_was_found_out_of_nodes_is_painted_again(out: Path) -> None:
    graph = read_model(FAULT.model).graph
    (table,) = read_results(out / "nodes.csv")
    found = import_table(out / "nodes.csv", graph)

    assert table.subject == "node" and {row.extra["verdict"] for row in table.rows} >= {"origin", "clean"}
    rows = {row.tensor: row for row in found.rows if row.values}
    assert rows["probabilities"].values["relative_l2"] == pytest.approx(1.3617, abs=1e-4)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        ("accumulated,share,introduced,inherited,introduced share", {"share": 0.75, "introduced_share": 0.5}),
        # As earlier versions wrote it: it is the introduced share, which is another one.
        ("accumulated,introduced,share", {}),
    ],
)
def test_a_share_is_what_it_was_written_as(tmp_path: Path, head: str, known: dict[str, float]) -> None:
    cells = {"accumulated": "0.1", "share": "0.75", "introduced": "0.1", "inherited": "0", "introduced share": "0.5"}
    line = ",".join(cells[title] for title in head.split(","))
    (tmp_path / "nodes.csv").write_text(f"name,type,verdict,method,{head}\na,Relu,origin,exact,{line}\n", "utf-8")

    (table,) = read_results(tmp_path / "nodes.csv")
    found = {key.removeprefix("errorflow.node."): value for key, value in table.rows[0].values.items()}
    assert {key: value for key, value in found.items() if key.endswith("share")} == known


def test_a_name_that_was_kept_from_being_a_formula_is_itself_again(tmp_path: Path) -> None:
    rows = (Row("=a", INFO, INFO, {"cosine": 0.5}, node="-b", op_type="Relu"), Row("'c", None, None, note="+ nothing"))
    (tmp_path / "any.csv").write_text(tensors_csv(Comparison(rows)), "utf-8")

    (table,) = read_results(tmp_path / "any.csv")
    assert [(row.name, row.names, row.notes) for row in table.rows] == [
        ("=a", ("a", "-b"), ()),
        ("'c", (), ("+ nothing",)),
    ]
    assert table.rows[0].shape == (1, 3) and table.rows[0].values == {"errorflow.cosine": 0.5}


def test_every_measure_comes_back(tmp_path: Path) -> None:
    values = {row.key: 0.25 for row in DETAILS}
    (tmp_path / "t.csv").write_text(tensors_csv(Comparison((Row("a", INFO, INFO, values),))), "utf-8")

    (table,) = read_results(tmp_path / "t.csv")
    ours = {column.definition.equals: table.rows[0].values.get(column.key) for column in table.columns}
    assert {key: value for key, value in ours.items() if value is not None} == values
