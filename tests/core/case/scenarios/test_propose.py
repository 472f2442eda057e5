"""Which comparisons a folder allows, and who is who."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import run_folders
from errorflow.case.scenarios import SCENARIOS, scenario_of
from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.propose import Proposal, only_complete, propose, swapped
from errorflow.case.scenarios.setup import Setup

QUANTIZED = ("conv1_quant_layer", "relu1")


def best(folder: Path) -> Proposal:
    return propose(discover(folder))[0]


def names(proposal: Proposal) -> dict[str, str]:
    return {need: filled.found.path.name for need, filled in proposal.filled.items()}


def _npu(folder: Path) -> None:
    run_folders.npu(folder / "a")
    run_folders.npy(folder / "b")
    run_folders.atc_json(folder / "net.json")


def _quantized(folder: Path) -> None:
    run_folders.npy(folder / "a", QUANTIZED)
    run_folders.npy(folder / "b")
    run_folders.quant_info(folder / "q.json")


def _npu_fake(folder: Path) -> None:
    run_folders.npu(folder / "a", QUANTIZED)
    run_folders.npy(folder / "b", QUANTIZED)
    run_folders.atc_json(folder / "net.json")


def _npu_quantized(folder: Path) -> None:
    run_folders.npu(folder / "a", QUANTIZED)
    run_folders.npy(folder / "b")
    run_folders.atc_json(folder / "net.json")
    run_folders.quant_info(folder / "q.json")


def _npu_npu(folder: Path) -> None:
    run_folders.npu(folder / "new")
    run_folders.npu(folder / "old")


def _onnx(folder: Path) -> None:
    run_folders.onnx(folder / "m.onnx")
    run_folders.onnx(folder / "m8.onnx", quantized=True)


def _three(folder: Path) -> None:
    for name in ("float", "simulator", "board"):
        run_folders.npz(folder / f"{name}.npz")


def _runs(folder: Path) -> None:
    run_folders.npz(folder / "golden.npz")
    run_folders.npz(folder / "mine.npz")


def _table(folder: Path) -> None:
    run_folders.onnx(folder / "m.onnx")
    text = (Path(__file__).parents[3] / "data" / "results" / "msaccucmp.csv").read_text("utf-8")
    (folder / "result.csv").write_text(text, encoding="utf-8")


CASES: dict[str, tuple[Callable[[Path], None], dict[str, str]]] = {
    "npu": (_npu, {"candidate": "a", "reference": "b", "fusion": "net.json"}),
    "quantized": (_quantized, {"candidate": "a", "reference": "b", "quantization": "q.json"}),
    "npu-fake-quantized": (_npu_fake, {"candidate": "a", "reference": "b", "fusion": "net.json"}),
    "npu-quantized": (
        _npu_quantized,
        {"candidate": "a", "reference": "b", "fusion": "net.json", "quantization": "q.json"},
    ),
    "npu-npu": (_npu_npu, {"candidate": "new", "reference": "old"}),
    "onnx": (_onnx, {"original": "m.onnx", "quantized": "m8.onnx"}),
    "three-way": (_three, {"reference": "float.npz", "simulator": "simulator.npz", "candidate": "board.npz"}),
    "runs": (_runs, {"candidate": "mine.npz", "reference": "golden.npz"}),
    "table": (_table, {"table": "result.csv", "model": "m.onnx"}),
}


@pytest.mark.parametrize("key", [row.key for row in SCENARIOS])
def test_a_folder_with_all_that_a_comparison_needs_is_recognised(key: str, tmp_path: Path) -> None:
    make, expected = CASES[key]
    make(tmp_path)
    proposal = best(tmp_path)
    assert (proposal.scenario.key, names(proposal), proposal.is_complete) == (key, expected, True)


@pytest.mark.parametrize("key", ["npu", "quantized", "npu-fake-quantized", "npu-quantized", "onnx", "runs", "table"])
def test_it_is_the_only_one_that_can_be_started_at_once(key: str, tmp_path: Path) -> None:
    CASES[key][0](tmp_path)
    only = only_complete(propose(discover(tmp_path)))
    assert only is not None and only.scenario.key == key


@pytest.mark.parametrize("key", ["npu-npu", "runs", "three-way"])
def test_what_a_name_hints_at_is_said_to_be_a_guess(key: str, tmp_path: Path) -> None:
    CASES[key][0](tmp_path)
    assert best(tmp_path).guesses


@pytest.mark.parametrize("key", ["npu", "quantized", "npu-quantized"])
def test_what_its_kind_tells_is_no_guess(key: str, tmp_path: Path) -> None:
    CASES[key][0](tmp_path)
    assert not best(tmp_path).guesses


def test_two_runs_whose_names_say_nothing_are_left_to_the_user(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "one.npz")
    run_folders.npz(tmp_path / "two.npz")
    proposal = best(tmp_path)
    assert proposal.filled == {}
    assert [each.path.name for each in proposal.choices["reference"]] == ["one.npz", "two.npz"]
    assert only_complete(propose(discover(tmp_path))) is None


def test_what_is_called_inputs_is_no_run_that_is_left(tmp_path: Path) -> None:
    _npu(tmp_path)
    np.savez(tmp_path / "inputs.npz", x=np.zeros(3, np.float32))

    found = only_complete(propose(discover(tmp_path)))

    assert found is not None and found.scenario.key == "npu"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    run_folders.npu(tmp_path / "a", QUANTIZED)
    run_folders.npy(tmp_path / "b")
    run_folders.atc_json(tmp_path / "net.json")
    proposal = next(each for each in propose(discover(tmp_path)) if each.scenario.key == "npu-quantized")
    assert [need.key for need in proposal.lacks] == ["quantization"]


def test_of_several_jsons_the_one_of_the_dumped_model_is_taken(tmp_path: Path) -> None:
    run_folders.npu(tmp_path / "20260101120000" / "0" / "net" / "1" / "0")
    run_folders.npy(tmp_path / "golden")
    run_folders.atc_json(tmp_path / "x.json", "other")
    run_folders.atc_json(tmp_path / "y.json", "net")
    assert names(best(tmp_path))["fusion"] == "y.json"


def test_fusion_rules_of_two_compilations_are_taken_both_or_not_at_all(tmp_path: Path) -> None:
    _npu_npu(tmp_path)
    run_folders.atc_json(tmp_path / "net.json")
    assert "fusion" not in best(tmp_path).filled
    run_folders.atc_json(tmp_path / "net_nofusion.json")
    found = names(best(tmp_path))
    assert (found["fusion"], found["closed_fusion"]) == ("net.json", "net_nofusion.json")


def test_the_one_without_fusion_may_be_the_first_by_name(tmp_path: Path) -> None:
    _npu_npu(tmp_path)
    run_folders.atc_json(tmp_path / "net.json")
    run_folders.atc_json(tmp_path / "a_nofusion.json")
    filled = best(tmp_path).filled
    assert {need: filled[need].found.path.name for need in ("fusion", "closed_fusion")} == {
        "fusion": "net.json",
        "closed_fusion": "a_nofusion.json",
    }
    assert {filled[need].why for need in ("fusion", "closed_fusion")} == {"“nofusion” in a name"}


def test_half_of_what_belongs_together_is_not_enough() -> None:
    row = next(row for row in SCENARIOS if row.key == "npu-npu")
    setup = Setup(row.key, {"candidate": Path("a"), "reference": Path("b"), "fusion": Path("f.json")})
    assert [need.key for need in row.lacks(setup)] == ["closed_fusion"]


def test_sides_change_places() -> None:
    setup = swapped(Setup("runs", {"candidate": Path("a"), "reference": Path("b"), "model": Path("m")}))
    assert setup.files == {"candidate": Path("b"), "reference": Path("a"), "model": Path("m")}
    assert swapped(Setup("runs", {"candidate": Path("a")})).files == {"reference": Path("a")}


def _save(path: Path, *names: str) -> None:
    np.savez(path, **dict.fromkeys(names, np.zeros((2, 3), np.float32)))  # type: ignore[arg-type] # arrays by name


@pytest.mark.parametrize(
    ("archives", "taken"),
    [
        ({"z.npz": "x"}, "z.npz"),
        ({"z.npz": "xy"}, "z.npz"),
        ({"z.npz": "x", "run.npz": "xy"}, "z.npz"),
        ({"z.npz": "x", "other.npz": "y"}, "z.npz"),
        ({"z.npz": "x", "input.npz": "x"}, "input.npz"),
        ({"z.npz": "y"}, None),
        ({"z.npz": "x", "w.npz": "x"}, None),
    ],
)
def test_the_only_archive_with_the_models_inputs_is_what_it_is_fed_with(
    archives: dict[str, str], taken: str | None, tmp_path: Path
) -> None:
    _onnx(tmp_path)
    for name, tensors in archives.items():
        _save(tmp_path / name, *tensors)
    found = next(each for each in propose(discover(tmp_path)) if each.scenario.key == "onnx")

    assert names(found).get("inputs") == taken


def test_where_several_could_be_the_inputs_none_are_made_up_at_once(tmp_path: Path) -> None:
    _onnx(tmp_path)
    _save(tmp_path / "a.npz", "x")
    assert only_complete(propose(discover(tmp_path))) is not None
    for name in ("b.npy", "c.npy"):
        np.save(tmp_path / name, np.zeros((2, 3), np.float32))
    (tmp_path / "a.npz").unlink()
    assert only_complete([each for each in propose(discover(tmp_path)) if each.scenario.key == "onnx"]) is None


def test_a_result_table_beside_two_runs_is_no_second_comparison(tmp_path: Path) -> None:
    _runs(tmp_path)
    _table(tmp_path)
    only = only_complete(propose(discover(tmp_path)))
    assert only is not None and only.scenario.key == "runs"


def test_of_the_tables_of_an_earlier_comparison_that_of_tensors_is_taken(tmp_path: Path) -> None:
    data = Path(__file__).parents[3] / "data" / "results"
    for name, key in (("tensors.csv", "errorflow-tensors"), ("nodes.csv", "errorflow-nodes")):
        (tmp_path / name).write_bytes((data / f"{key}.csv").read_bytes())
    run_folders.onnx(tmp_path / "model.onnx")
    only = only_complete(propose(discover(tmp_path)))
    assert only is not None and names(only) == {"table": "tensors.csv", "model": "model.onnx"}


def test_tables_of_two_comparisons_are_both_offered(tmp_path: Path) -> None:
    data = Path(__file__).parents[3] / "data" / "results"
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tensors.csv").write_bytes((data / "errorflow-tensors.csv").read_bytes())
    found = best(tmp_path)
    assert found.scenario.key == "table" and len(found.choices["table"]) == 2


def test_a_table_of_nodes_elsewhere_is_of_another_comparison(tmp_path: Path) -> None:
    data = Path(__file__).parents[3] / "data" / "results"
    for folder, key in (("before", "errorflow-nodes"), ("after", "errorflow-tensors")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "table.csv").write_bytes((data / f"{key}.csv").read_bytes())
    assert len(best(tmp_path).choices["table"]) == 2


def test_models_in_place_of_runs_are_for_the_user_to_choose(tmp_path: Path) -> None:
    run_folders.onnx(tmp_path / "float.onnx")
    run_folders.onnx(tmp_path / "int8.onnx", quantized=True)
    run_folders.npz(tmp_path / "board.npz")
    found = discover(tmp_path)
    three = [each for each in propose(found) if each.scenario.key == "three-way"]
    assert not any({"reference", "simulator", "inputs"} & set(names(each)) for each in three)
    row = scenario_of("three-way")
    assert row is not None
    fitting = {need.key: {each.path.name for each in Filling().with_found(found).fitting(need)} for need in row.needs}
    assert fitting["simulator"] == {"float.onnx", "int8.onnx", "board.npz"}
    assert fitting["inputs"] == {"board.npz"}


def test_a_float_model_beside_its_quantized_one_is_the_only_one_of_its_sort(tmp_path: Path) -> None:
    run_folders.onnx(tmp_path / "float.onnx")
    run_folders.onnx(tmp_path / "int8.onnx", quantized=True)
    filled = best(tmp_path).filled
    assert filled["original"].why == "the only ONNX model in float here"
    assert filled["quantized"].why == "the only quantized ONNX model here"
