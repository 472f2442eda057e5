"""The files of a search: AMCT's hold AMCT's own numbers, and nothing of an earlier search stays beside them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from errorflow.base.progress import SILENT
from errorflow.compare.results import read_results
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.quant.steps import Equalize
from errorflow.report.search import write_search
from errorflow.report.toolchains import toolchain
from errorflow.study.evaluate.asking import MeasureGoal, evaluator_of
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.rank.model import Question
from errorflow.study.search.model import Search, SearchRequest
from errorflow.study.search.ranks import ranks_of
from errorflow.study.search.searching import search
from errorflow.study.search.space import Space
from errorflow.study.search.strategies import strategy
from errorflow.study.simulate.bench import Bench
from errorflow.vendors.ascend.amct.layers import is_layer
from search_benches import NODE_FAULT, opened

PLAN = preset("amct").plan
NAME = "accuracy_based_auto_calibration_ranking_information.json"
HISTORY = "amct_log/accuracy_based_auto_calibration_record.json"
FINAL, RECORD = "accuracy_based_auto_calibration_final_config.json", "scale_offset_record.txt"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with opened(NODE_FAULT.model, NODE_FAULT.calibration, PLAN) as found:
        yield found


def searched(bench: Bench, folder: Path, wish: SearchRequest, plan: Plan = PLAN) -> Search:
    rule = MeasureGoal("relative_l2", AcceptRule("bound", 0.03))
    return search(bench, plan, evaluator_of(bench, rule, folder), wish, strategy("binary"))


@pytest.fixture(scope="module")
def by_noise(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Search:
    return searched(bench, tmp_path_factory.mktemp("noise"), SearchRequest("binary"))


def ranking(folder: Path) -> list[tuple[str, float]]:
    return [(name, value) for name, value in json.loads((folder / NAME).read_text("utf-8"))]


def amct_numbers(bench: Bench) -> dict[str, float]:
    """What `--rank-by amct` has for each node that AMCT quantizes."""
    space = Space(bench.engine, PLAN, Question("node"), "float")
    ranks = ranks_of(space, bench, SearchRequest(kind="node", by="amct"), SILENT)
    graph = bench.engine.graph
    layers = {graph.node_names[node] for node in range(len(graph)) if is_layer(graph, node)}
    return {part.name: score for part, score in zip(space.parts, ranks.scores, strict=True) if part.name in layers}


def test_a_search_by_noise_writes_amcts_numbers_for_amct(bench: Bench, by_noise: Search, tmp_path: Path) -> None:
    write_search(tmp_path, by_noise, bench, starts={"amct": ""})
    rows = ranking(tmp_path)
    assert dict(rows) == pytest.approx(amct_numbers(bench))
    assert [value for _, value in rows] == sorted(value for _, value in rows)
    [table] = read_results(tmp_path / NAME)
    assert table.rows[0].name == min(rows, key=lambda row: row[1])[0]


def test_a_search_by_amcts_numbers_writes_those_that_it_has(bench: Bench, tmp_path: Path) -> None:
    found = searched(bench, tmp_path, SearchRequest("binary", "node", by="amct"))
    write_search(tmp_path, found, bench)
    assert dict(ranking(tmp_path)) == pytest.approx(amct_numbers(bench))


@pytest.mark.parametrize("stage", ["", "Trying"])
def test_no_other_number_is_written_in_their_place(stage: str, bench: Bench, by_noise: Search, tmp_path: Path) -> None:
    """Neither where nobody asks for AMCT's files, nor where a search is broken off and nothing is to be run."""
    write_search(tmp_path, replace(by_noise, stage=stage), bench, starts={"amct": ""} if stage else {})
    assert not (tmp_path / NAME).exists()


def test_amcts_history_speaks_of_its_layers_whatever_the_parts_are(
    bench: Bench, by_noise: Search, tmp_path: Path
) -> None:
    write_search(tmp_path, by_noise, bench)
    text, at, steps = (tmp_path / HISTORY).read_text("utf-8"), 0, list[dict[str, Any]]()
    while at < len(text):
        entry, at = json.JSONDecoder().raw_decode(text, at)
        steps.append(entry["roll_back_config"])
    assert {frozenset(step) for step in steps} == {frozenset(amct_numbers(bench))}
    assert all(steps[0].values())
    assert not all(steps[1].values())


def test_of_tensors_amct_has_no_history(bench: Bench, tmp_path: Path) -> None:
    write_search(tmp_path, searched(bench, tmp_path, SearchRequest("binary", "tensor")), bench)
    assert not (tmp_path / HISTORY).exists()


def test_what_amct_cannot_be_told_is_in_files_as_export_writes_them(
    bench: Bench, by_noise: Search, tmp_path: Path
) -> None:
    _, notes = write_search(tmp_path, replace(by_noise, plan=preset("onnxruntime").plan), bench, starts={"amct": ""})
    for name in ("amct_left_out.txt", "amct_record_left_out.txt"):
        assert "AMCT does not quantize" in (tmp_path / name).read_text("utf-8")
        assert any(note.endswith(f"see {name}.") for note in notes)


def test_files_of_an_earlier_search_go_with_it(bench: Bench, by_noise: Search, tmp_path: Path) -> None:
    other = replace(by_noise, plan=preset("onnxruntime").plan)
    write_search(tmp_path, other, bench, starts={"amct": ""}, qdq=True)
    assert {NAME, FINAL, RECORD, "model_qdq.onnx", "amct_left_out.txt"} <= {path.name for path in tmp_path.iterdir()}
    files, notes = write_search(tmp_path, by_noise, bench)
    assert {path for path in tmp_path.rglob("*") if path.is_file() and path.name != "evaluator.log"} == set(files)
    assert notes == []


def test_what_somebody_else_wrote_stays_and_is_told(bench: Bench, by_noise: Search, tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text("of AMCT itself", "utf-8")
    _, notes = write_search(tmp_path, by_noise, bench)
    assert (tmp_path / RECORD).read_text("utf-8") == "of AMCT itself"
    assert notes == [f"{RECORD} was there before, and is not of this search."]


def test_the_ranking_that_was_given_stays(bench: Bench, by_noise: Search, tmp_path: Path) -> None:
    write_search(tmp_path, by_noise, bench, starts={"amct": ""})
    again = replace(by_noise, wish=replace(by_noise.wish, ranking=tmp_path / NAME))
    write_search(tmp_path, again, bench)
    assert (tmp_path / NAME).exists()


def test_amct_is_given_no_numbers_of_a_model_that_steps_changed(tmp_path: Path) -> None:
    plan = replace(PLAN, steps=(Equalize(),))
    with opened(NODE_FAULT.model, NODE_FAULT.calibration, plan) as remade:
        found = searched(remade, tmp_path, SearchRequest("binary"), plan)
        _, notes = write_search(tmp_path, found, remade, starts={"amct": ""})
    assert not (tmp_path / NAME).exists()
    assert not (tmp_path / RECORD).exists()
    assert any(note.startswith(f"{RECORD} is not written: The scales are those of") for note in notes)
    assert (tmp_path / FINAL).exists()
    assert toolchain("amct").claims(FINAL, (tmp_path / FINAL).read_text("utf-8"))
