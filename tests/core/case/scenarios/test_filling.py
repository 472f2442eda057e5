"""The page as values."""

from pathlib import Path

import numpy as np
import pytest

import run_folders
from errorflow.case.preparing import prepare
from errorflow.case.scenarios import Scenario, scenario_of
from errorflow.case.scenarios.call import call_of
from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.filling import Filling, can_swap, lack_text
from errorflow.case.scenarios.setup import Setup
from onnx_models import graph, model, relu, value


def row_of(key: str) -> Scenario:
    row = scenario_of(key)
    assert row is not None
    return row


RUNS = row_of("runs")


def test_what_the_user_chose_counts_more_than_what_was_found(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz")
    filling = Filling().with_found(discover(tmp_path))
    assert filling.best is RUNS
    chosen = filling.with_file(RUNS, "candidate", Path("/elsewhere.npz"))
    assert chosen.setup(RUNS).files == {"candidate": Path("/elsewhere.npz"), "reference": tmp_path / "golden.npz"}
    assert chosen.with_file(RUNS, "candidate", None).setup(RUNS).file("candidate") is None


def test_why_something_was_taken_is_said_and_a_guess_is_called_one(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz")
    filling = Filling().with_found(discover(tmp_path))
    need = RUNS.need("reference")
    assert need is not None
    assert filling.note(RUNS, need) == "A guess: “golden” in its name"
    assert filling.with_file(RUNS, "reference", tmp_path / "golden.npz").note(RUNS, need) == ""


def test_another_thing_than_what_is_needed_is_named(tmp_path: Path) -> None:
    model = run_folders.onnx(tmp_path / "m.onnx")
    filling = Filling().with_found(discover(tmp_path)).with_file(RUNS, "reference", model)
    need = RUNS.need("reference")
    assert need is not None
    assert filling.note(RUNS, need) == "ONNX model, 1 operators: not what is needed here"


def test_a_running_comparison_is_filled_in_with_its_shapes() -> None:
    setup = Setup("runs", {"candidate": Path("a"), "reference": Path("b")}, ("x=1x3:float32",))
    filling = Filling.of(setup)
    assert filling.best is RUNS
    assert filling.setup(RUNS) == setup
    assert filling.swapped(RUNS).setup(RUNS).file("candidate") == Path("b")


def test_looking_again_adds_and_forgets_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run_folders.npz(tmp_path / name / f"{name}.npz")
    one, two = discover(tmp_path / "a"), discover(tmp_path / "b")
    filling = Filling().with_found(one).with_found(two).with_found(one)
    assert [found.path.name for found in filling.discovered.found] == ["a.npz", "b.npz"]
    assert filling.discovered.paths == (tmp_path / "a", tmp_path / "b")


def test_only_sides_of_the_same_kind_are_swapped() -> None:
    assert [can_swap(row_of(key)) for key in ("npu", "npu-npu", "runs", "onnx", "table")] == [
        *(False, True, True, False, False)
    ]


def test_what_is_missing_is_a_sentence() -> None:
    assert lack_text(row_of("npu"), Setup("npu")) == (
        "Missing: NPU dump, Original model's tensors and Compiled model (ATC JSON or .om)."
    )
    full = Setup("runs", {"candidate": Path("a"), "reference": Path("b")})
    assert lack_text(RUNS, full) == ""


def test_bare_values_ask_for_a_model(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.bin").write_bytes(bytes(24))
    filling = Filling().with_found(discover(tmp_path)).with_file(RUNS, "reference", tmp_path)
    need = RUNS.need("reference")
    assert need is not None
    assert filling.note(RUNS, need).endswith("choose the model too, or fill in their shapes below")
    assert filling.with_file(RUNS, "model", Path("m.onnx")).note(RUNS, need) == ""


def test_a_folder_takes_the_place_of_the_comparison_that_is_open(tmp_path: Path) -> None:
    run_folders.npz(tmp_path / "golden.npz")
    run_folders.npz(tmp_path / "mine.npz")
    setup = Setup("runs", {"candidate": Path("/old/a"), "reference": Path("/old/b")}, ("x=1x3:float32",))
    filling = Filling.of(setup).swapped(RUNS).with_file(RUNS, "model", Path("/new/m.onnx"))
    found = filling.looked_through(discover(tmp_path))
    assert found.setup(RUNS).files == {
        "candidate": tmp_path / "mine.npz",
        "reference": tmp_path / "golden.npz",
        "model": Path("/new/m.onnx"),
    }
    assert found.setup(RUNS).shapes == ()


def test_a_folder_with_nothing_in_it_takes_nothing_away(tmp_path: Path) -> None:
    setup = Setup("runs", {"candidate": Path("/old/a"), "reference": Path("/old/b")})
    assert Filling.of(setup).looked_through(discover(tmp_path)).setup(RUNS) == setup


def test_folders_that_are_looked_through_one_after_the_other_add_up(tmp_path: Path) -> None:
    for name in ("mine", "golden"):
        run_folders.npz(tmp_path / name / f"{name}.npz")
    filling = Filling().looked_through(discover(tmp_path / "mine")).looked_through(discover(tmp_path / "golden"))
    assert not filling.proposal(RUNS).lacks


def test_the_same_run_on_both_sides_is_said_on_both(tmp_path: Path) -> None:
    run = run_folders.npz(tmp_path / "a.npz")
    filling = Filling().with_file(RUNS, "candidate", run)
    twice = filling.with_file(RUNS, "reference", tmp_path / "." / "a.npz")
    assert [twice.note(RUNS, need).partition(":")[0] for need in RUNS.needs] == [
        *("Both sides are the same run", "Both sides are the same run", "")
    ]
    assert [filling.note(RUNS, need) for need in RUNS.needs] == [""] * 3


def test_the_same_run_on_both_sides_cannot_be_compared(tmp_path: Path) -> None:
    run = run_folders.npz(tmp_path / "a.npz")
    filling = Filling().with_file(RUNS, "candidate", run).with_file(RUNS, "reference", run)
    assert filling.lack(RUNS) == "Both sides are the same run: choose another one for one of them."


@pytest.mark.parametrize("side", ["candidate", "reference"])
@pytest.mark.parametrize(("names", "fills"), [("ab", True), ("abc", False)])
def test_of_two_runs_the_one_that_is_left_is_the_other_side(tmp_path: Path, side: str, names: str, fills: bool) -> None:
    paths = [run_folders.npz(tmp_path / f"{name}.npz") for name in names]
    filling = Filling().with_found(discover(tmp_path)).with_file(RUNS, side, paths[0])
    other = "reference" if side == "candidate" else "candidate"
    assert filling.setup(RUNS).file(other) == (paths[1] if fills else None)


ONNX = row_of("onnx")


def relu_model(path: Path, *dims: int | str) -> Path:
    made = model(graph(relu("x", "y"), inputs=[value("x", dims)], outputs=[value("y", dims)]), ir_version=10)
    path.write_bytes(made.SerializeToString())
    return path


def case(folder: Path, *dims: int | str) -> tuple[Filling, Path]:
    """Two models whose input has these sizes, and a file of bare values for it."""
    original = relu_model(folder / "float.onnx", *dims)
    run_folders.onnx(folder / "int8.onnx", quantized=True)
    inputs = folder / "x.bin"
    np.arange(12, dtype=np.float32).tofile(inputs)
    filling = Filling().with_found(discover([original, folder / "int8.onnx", inputs]))
    return filling.with_file(ONNX, "inputs", inputs), inputs


def test_the_shapes_of_raw_inputs_are_proposed_from_the_model(tmp_path: Path) -> None:
    filling, inputs = case(tmp_path, "N", 3)
    assert filling.setup(ONNX).file("inputs") == inputs and filling.raw_needs(ONNX) == ("inputs",)
    assert filling.setup(ONNX).shapes == ("x=?x3:float32",)
    assert filling.lack(ONNX) == ""
    typed = filling.with_shapes(("x=4x3:float32",))
    assert typed.setup(ONNX).shapes == ("x=4x3:float32",)
    assert typed.with_shapes(None).setup(ONNX).shapes == ("x=?x3:float32",)


def test_nothing_is_proposed_where_nothing_is_raw(tmp_path: Path) -> None:
    filling, _ = case(tmp_path, "N", 3)
    without = filling.with_file(ONNX, "inputs", None)
    assert without.setup(ONNX).shapes == () and without.raw_needs(ONNX) == ()


def test_what_was_written_is_not_for_a_comparison_without_raw_files(tmp_path: Path) -> None:
    filling, _ = case(tmp_path, "N", 3)
    typed = filling.with_shapes(("nonsense",))
    assert typed.setup(row_of("three-way")).shapes == ()
    assert typed.shapes_problem(row_of("three-way")) == "" and typed.shapes_problem(ONNX) != ""


def test_a_model_that_leaves_too_much_open_asks_for_it_by_the_name_of_the_field(tmp_path: Path) -> None:
    filling, _ = case(tmp_path, "N", "M")
    assert filling.lack(ONNX) == (
        "Shapes of raw files: “x=?x?:float32” leaves more than one dimension open. Give all but one."
    )
    assert filling.with_shapes(("x=4x?",)).lack(ONNX) == ""


def test_what_is_no_shape_names_the_field_and_how_to_write_it(tmp_path: Path) -> None:
    filling, _ = case(tmp_path, 4, 3)
    problem = filling.with_shapes(("x: 4 by 3",)).lack(ONNX)
    assert problem.startswith("Shapes of raw files: “x: 4 by 3” is no shape. Write it like this: name=")


def test_a_raw_run_without_a_model_wants_shapes(tmp_path: Path) -> None:
    for folder in ("golden", "mine"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            np.ones(3, np.float32).tofile(tmp_path / folder / f"{name}.bin")
    filling = Filling().with_found(discover(tmp_path))
    assert filling.lack(RUNS) == "Shapes of raw files: Run in question has none. Fill them in or choose the model."
    assert filling.with_shapes(("a=3", "b=3")).lack(RUNS) == ""
    assert filling.with_file(RUNS, "model", tmp_path / "m.onnx").lack(RUNS) == ""


def test_what_is_proposed_is_what_runs_both_models(tmp_path: Path) -> None:
    filling, _ = case(tmp_path, "N", 3)
    setup = filling.with_file(ONNX, "quantized", relu_model(tmp_path / "same.onnx", "N", 3)).setup(ONNX)
    match = prepare(setup, folder=tmp_path).match
    assert {pair.tensor: pair.reference.info.shape for pair in match.pairs if pair.reference is not None}["x"] == (4, 3)
    assert "--shapes 'x=?x3:float32'" in call_of(setup)
