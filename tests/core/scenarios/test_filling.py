"""The page as values."""

from pathlib import Path

import run_folders
from errorflow.scenarios import Scenario, scenario_of
from errorflow.scenarios.discover import discover
from errorflow.scenarios.filling import Filling, can_swap, lack_text
from errorflow.scenarios.setup import Setup


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
    assert filling.note(RUNS, need).endswith("choose the model too")
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
    assert found.shapes == ()


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
