"""What finished work shows, as numbers: comparisons, tables of tools, evaluations, rankings, alignments."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import WrongFileError
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.chain import chain_of
from errorflow.cli.main import main
from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.model import Comparison, Row
from errorflow.compare.results.table import Column, ResultRow, ResultTable
from errorflow.compare.summary import THRESHOLDS
from errorflow.explain.blame.estimate import blame
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.dump import TensorInfo
from errorflow.guides.checking import seen_in
from errorflow.guides.checks import OUTPUT, SUSPECTS
from errorflow.guides.gathering import of_comparison, of_ends, of_findings, of_tables
from errorflow.report.tables import tensors_csv
from result_samples import sample

INFO = TensorInfo("", "float32", (1,), 4)


def table(key: str, values: list[float], extra: str = "U8") -> ResultTable:
    column = Column.of(key)
    rows = [
        ResultRow(f"layer{at}", values={column.key: value}, extra={"QDType": extra}) for at, value in enumerate(values)
    ]
    return ResultTable("Pulsar2 precision", "Pulsar2", "tensor", (column,), tuple(rows))


def test_of_layers_the_worst_counts_and_end_to_end_the_last() -> None:
    seen = of_tables([table("pulsar2.PerLayer.Cosin", [0.9999, 0.95, 0.998, 1.0])])
    assert seen.numbers == {"per_layer": 0.95, "layers_below": 2.0, "wide": 0.0} and seen.texts == {
        "per_layer": "layer1"
    }
    assert of_tables([table("pulsar2.PerLayer.Cosin", [0.95], "U16")]).numbers["wide"] == 1.0
    seen = of_tables([table("pulsar2.EndToEnd.Cosin", [0.9, 0.985])])
    assert seen.numbers["end_to_end"] == 0.985 and seen.texts["end_to_end"] == "layer1"


def test_of_a_ranking_of_horizon_the_sensitive_nodes_are_counted() -> None:
    seen = of_tables([table("horizon.sensitivity.cosine-similarity", [0.97, 0.985, 0.999])])
    assert seen.numbers == {"sensitive": 0.97, "sensitive_count": 2.0} and seen.texts == {"sensitive": "layer0"}


def test_a_comparison_shows_its_outputs() -> None:
    graph = read_model(SAMPLES[0].model).graph
    output = graph.tensor_names[int(graph.outputs[0])]
    made = graph.tensor_names[int(graph.node_outputs[0][0])]
    rows = (
        Row(made, None, None, {"cosine": 0.5, "relative_l2": 0.9}),
        Row(output, None, None, {"cosine": 0.995, "relative_l2": 0.01}),
    )
    seen = of_findings(Findings.of(graph, Comparison(rows)))
    assert seen.numbers == {
        "output_cosine": 0.995, "output_relative": 0.01, "suspects": 1.0, "measured": 2.0,
    }  # fmt: skip
    assert seen.texts["output_cosine"] == output and seen.texts["suspects"] == made


def test_what_was_not_measured_is_beyond_no_threshold_that_anybody_knows_of() -> None:
    row = Row("x", None, None, {"cosine": 1.0, "relative_l2": 0.0})
    seen = of_comparison(Comparison((row,)))
    assert seen.texts["unruled"] == "KullbackLeiblerDivergence, RootMeanSquareError, MeanRelativeError"
    assert SUSPECTS.look(seen).state == "not measured"

    all_of_them = {threshold.column: "0" for threshold in THRESHOLDS}
    seen = of_comparison(Comparison((replace(row, printed=Printed(Listed(0, "", "x", "*", "x"), all_of_them)),)))
    assert SUSPECTS.look(seen).state == "passed" and not seen.texts["unruled"]


@pytest.mark.parametrize(
    ("op_type", "values", "said"),
    [
        ("Conv", (0.9, 0.995), "b, the last tensor"),
        ("", (0.995, 0.999), "a, the worst of all tensors"),
        ("", (0.9, 1.0), "Not judged: which tensor is the output is not known; give --model."),
    ],
)
def test_where_nobody_knows_the_output_only_a_list_of_operators_has_a_last_one(
    op_type: str, values: tuple[float, float], said: str, tmp_path: Path
) -> None:
    rows = tuple(
        Row(name, INFO, INFO, {"cosine": value}, op_type=op_type) for name, value in zip("ab", values, strict=True)
    )
    match = Match(tuple(Pair(row.tensor, None, None, "") for row in rows))
    comparison = Comparison(rows)
    graph = chain_of(match, Path("runs")).graph
    (tmp_path / "tensors.csv").write_text(tensors_csv(comparison))
    for seen in (of_ends(Findings.of(graph, comparison, blame(graph, comparison))), seen_in(tmp_path)):
        assert seen.texts["output_cosine"] == said
        judged = OUTPUT.look(seen)
        assert (judged.state == "not measured") == (judged.text == said) == said.startswith("Not judged")


def test_nothing_measured_shows_nothing() -> None:
    assert of_comparison(Comparison((Row("x", None, None, note="no dump"),))).numbers == {}


def test_a_folder_of_results_is_read(tmp_path: Path) -> None:
    for name, shift in (("golden", 0.0), ("mine", 0.5)):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.arange(8, dtype=np.float32) + shift)
    main(["compare", "-m", str(tmp_path / "mine"), "-g", str(tmp_path / "golden"), "-out", str(tmp_path / "out")])
    seen = seen_in(tmp_path / "out")
    assert 0.9 < seen.numbers["output_cosine"] < 1.0


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (
            {
                "kind": "errorflow evaluation",
                "runs": [
                    {"outputs": {"y": {"top": {"1": {"share": 0.8}}}}},
                    {"outputs": {}},
                    {"outputs": {"y": {"top": {"1": {"share": 0.7}}}}},
                ],
            },
            {"float_accuracy": 0.8, "accuracy": 0.7},
        ),
        ({"kind": "errorflow evaluation", "runs": [{"outputs": 3}, None]}, {}),
        ({"alike": False, "fault": "input", "text": "They part."}, {"alike": 0.0}),
        (
            {
                "outputs": [{"tensor": "y", "values": {"cosine": 0.98, "relative_l2": "nan"}}],
                "first suspicious": [{"rule": "r", "tensor": "x", "tensors": 4}],
            },
            {"output_cosine": 0.98, "suspects": 4.0},
        ),
        (
            {"outputs": [], "first suspicious": [], "beyond the limits": {"tensors": 19, "first": "x"}},
            {"suspects": 19.0},
        ),
    ],
)
def test_files_of_this_program_are_read(rows: object, numbers: dict[str, float], tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_text(json.dumps(rows))
    assert seen_in(path).numbers == numbers


def test_tables_of_tools_are_read(tmp_path: Path) -> None:
    assert seen_in(sample("pulsar2", tmp_path)).numbers["wide"] == 1.0
    assert "sensitive" in seen_in(sample("horizon-sensitivity", tmp_path)).numbers


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"[1]", b"\x00\x01", b'{"outputs": 1, "first suspicious": 2}'])
def test_rubbish_is_answered_in_a_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_bytes(content)
    try:
        assert seen_in(path).numbers == {}
    except WrongFileError as error:
        assert error.message and error.hint


def test_what_was_simulated_is_read(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    words = ["--data", str(sample.evaluation), "--samples", "12", "-out", str(tmp_path / "out")]
    assert main(["simulate", str(sample.model), *words]) in (0, 1)
    seen = seen_in(tmp_path / "out")
    assert seen.texts["kind"] == "node error" and seen.numbers["output_cosine"] < 0.99 and seen.numbers["suspects"] > 1


def test_an_empty_folder_says_what_could_be_there(tmp_path: Path) -> None:
    with pytest.raises(WrongFileError, match="nothing that could be checked"):
        seen_in(tmp_path)
