"""Folders as matching sees them: names, times and what cannot be read, as msaccucmp takes them."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Cancelled
from errorflow.compare.match.plan import MatchRequest, plan, run_of
from errorflow.compare.match.sides import ComparedRun, Operation
from errorflow.formats.folders import read_folder
from npu_writer import NpuArray, write_npu

TIME = 1_700_000_000_000_000


def run(folder: Path) -> ComparedRun:
    found = run_of(read_folder(folder))
    assert found is not None
    return found


def dump(folder: Path, name: str, count: int = 1) -> Path:
    return write_npu(folder / name, [], [NpuArray(np.ones((2, 3), np.float16)) for _ in range(count)])


def operation(folder: Path, name: str = "a") -> Operation:
    found = run(folder).operation(name)
    assert found is not None
    return found


def test_an_operator_has_the_tensors_of_its_newest_file(tmp_path: Path) -> None:
    dump(tmp_path, f"Relu.a.1.2.{TIME}")
    newest = dump(tmp_path, f"Relu.a.1.2.{TIME + 5}", count=2)

    found = operation(tmp_path)

    assert (found.path, found.op_type, found.timestamp, len(found.outputs)) == (str(newest), "Relu", TIME + 5, 2)


def test_a_file_that_is_gone_when_it_is_asked_for_is_a_problem(tmp_path: Path) -> None:
    gone = dump(tmp_path, f"Relu.a.1.2.{TIME}")
    found = run(tmp_path)
    gone.unlink()

    operation = found.operation("a")

    assert operation is not None
    assert "There is no file" in operation.problem


class Recorded:
    """Counts the steps, and ends the work at one of them."""

    def __init__(self, last: int = -1) -> None:
        self.texts: list[str] = []
        self._last = last

    def step(self, done: int, total: int, text: str) -> None:
        self.texts.append(text)
        if len(self.texts) == self._last:
            raise Cancelled


def some_runs(folder: Path, kind: str) -> tuple[Path, Path]:
    sides = folder / "m", folder / "g"
    for side in sides:
        side.mkdir()
        for number in range(20):
            if kind == "npu":
                dump(side, f"Relu.a{number}.1.2.{TIME}")
            else:
                np.save(side / f"a{number}.npy", np.ones(2))
    return sides


@pytest.mark.parametrize("kind", ["npu", "npy"])
def test_every_file_that_is_opened_is_a_place_to_stop(tmp_path: Path, kind: str) -> None:
    sides = some_runs(tmp_path, kind)
    steps = Recorded()

    plan(MatchRequest(*sides), steps)

    assert len(steps.texts) >= 40


@pytest.mark.parametrize("last", [1, 2, 10, 30])
def test_a_cancel_strikes_while_runs_are_opened(tmp_path: Path, last: int) -> None:
    with pytest.raises(Cancelled):
        plan(MatchRequest(*some_runs(tmp_path, "npy")), Recorded(last))


def test_a_newer_form_of_the_name_has_no_time(tmp_path: Path) -> None:
    dump(tmp_path, f"Relu.a.1.2.{TIME}.0.5.6.0")

    assert operation(tmp_path).timestamp == 0


def test_a_hashed_name_says_no_type(tmp_path: Path) -> None:
    dump(tmp_path, "123456789")
    (tmp_path / "mapping.csv").write_text(f"123456789,Relu.a.1.2.{TIME}\n")

    assert (operation(tmp_path).op_type, operation(tmp_path).timestamp) == ("", TIME)


def test_a_broken_file_is_an_operator_with_a_problem(tmp_path: Path) -> None:
    path = dump(tmp_path, f"Relu.a.1.2.{TIME}")
    path.write_bytes(path.read_bytes()[:-3])

    assert operation(tmp_path).problem
    with pytest.raises(ErrorflowError):
        run(tmp_path).tensor("a", 0)


def test_a_broken_file_beside_a_newer_one_is_noted(tmp_path: Path) -> None:
    path = dump(tmp_path, f"Relu.a.1.2.{TIME}")
    path.write_bytes(path.read_bytes()[:-3])
    dump(tmp_path, f"Relu.a.1.2.{TIME + 1}")

    assert (operation(tmp_path).problem, operation(tmp_path).older_is_broken) == ("", True)


def test_a_file_without_a_head_is_an_operator_without_tensors(tmp_path: Path) -> None:
    (tmp_path / f"Relu.a.1.2.{TIME}").write_bytes(b"1234")

    assert (operation(tmp_path).problem, operation(tmp_path).outputs) == ("", ())


@pytest.mark.parametrize(("index", "there"), [(0, True), (1, False), (-1, False)])
def test_an_output_is_found_by_its_number(tmp_path: Path, index: int, there: bool) -> None:
    dump(tmp_path, f"Relu.a.1.2.{TIME}")

    assert (run(tmp_path).tensor("a", index) is not None) is there


def test_arrays_are_found_by_operator_and_number(tmp_path: Path) -> None:
    np.save(tmp_path / "a.1.17.npy", np.ones(3))

    found = run(tmp_path)

    assert (found.kind, list(found.names()), found.operation("a")) == ("npy", ["a.1"], None)
    assert found.tensor("a", 1) is not None


@pytest.mark.parametrize(("name", "kind"), [("conv_quant_layer.0.1.npy", "npy-quantized"), ("conv.0.1.npy", "npy")])
def test_names_tell_a_quantized_model(tmp_path: Path, name: str, kind: str) -> None:
    np.save(tmp_path / name, np.ones(3))

    assert run(tmp_path).kind == kind


def test_other_folders_are_no_runs_that_fusion_rules_are_about(tmp_path: Path) -> None:
    np.save(tmp_path / "anything.npy", np.ones(3))

    assert run_of(read_folder(tmp_path)) is None
