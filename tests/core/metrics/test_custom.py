"""Columns of the user's own: they run apart, get what the tool gives, and whatever they do is a remark."""

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.errors import FileError, UsageError
from errorflow.metrics.custom import Call, custom_cells, custom_columns, options
from errorflow.metrics.msaccucmp import Cells

MINE, GOLDEN = np.array([[1, 2], [3, 4]], np.float16), np.array([[1, 2], [3, 5]], np.float64)


def folder(path: Path, **codes: str) -> Path:
    (path / "algorithm").mkdir(exist_ok=True)
    for name, code in codes.items():
        (path / "algorithm" / f"alg_{name}.py").write_text(textwrap.dedent(code), "utf-8")
    return path


def result(path: Path, **change: Any) -> Cells:
    facts: dict[str, Any] = {
        "mine": MINE,
        "golden": GOLDEN,
        "shape": (2, 2),
        "my_path": "/m.0",
        "golden_path": "/g.npy",
    }
    return custom_cells(custom_columns(path), Call(**(facts | change)))


def test_the_files_of_the_folder_are_the_columns(tmp_path: Path) -> None:
    folder(tmp_path, B="", A_1="raise SystemExit")
    for name in ("alg_.py", "alg_x-y.py", "algx.py", "README.md"):
        (tmp_path / "algorithm" / name).touch()

    assert [column.name for column in custom_columns(tmp_path)] == ["A_1", "B"]


def test_a_folder_without_algorithms_has_no_columns(tmp_path: Path) -> None:
    assert custom_columns(tmp_path) == ()
    assert result(tmp_path) == Cells({})


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="There is no folder"):
        custom_columns(tmp_path / "nowhere")


def test_an_algorithm_gets_float32_vectors_paths_and_options(tmp_path: Path) -> None:
    code = """
        def compare(mine, golden, args):
            mine += 1  # it may write into what it gets
            facts = [mine.dtype, mine.shape, float(mine.sum()), float(golden.sum()), args.k, args.shape_type.name]
            return repr(facts), args.my_output_dump_file + args.get()["ground_truth_dump_file"]
    """
    found = result(folder(tmp_path, Sum=code), options=options("Sum:k=5"))

    assert found == Cells({"Sum": "[dtype('float32'), (4,), 14.0, 11.0, '5', 'Tensor']"}, ("/m.0/g.npy",))


def test_only_the_first_elements_are_given_when_so_many_are_asked_for(tmp_path: Path) -> None:
    code = "def compare(mine, golden, args): return str(len(mine)) + args.shape_type.name, ''"

    assert result(folder(tmp_path, N=code), maximum=3, shape=(1, 1)).values == {"N": "3Scalar"}


@pytest.mark.parametrize(
    ("code", "remark"),
    [
        ("def compare(mine, golden, args): return 1 / 0, ''", "division by zero"),
        ("def compare(mine, golden): return '', ''", "positional arguments"),
        ("import nothing_of_this_name", "No module named"),
        (
            "def compare(mine, golden, args): return 0.5, ''",
            "The return value (0.5) of 'compare' in 'Bad' is not string",
        ),
        ("def compare(mine, golden, args): return 'text'", "unpack"),
        ("x = 1", "no attribute 'compare'"),
        ("def compare(", "'(' was never closed"),
    ],
)
def test_what_goes_wrong_in_one_is_its_remark(tmp_path: Path, code: str, remark: str) -> None:
    found = result(folder(tmp_path, Bad=code, Good="def compare(mine, golden, args): return '1', ''"))

    assert found.values == {"Bad": "NaN", "Good": "1"}
    assert found.reason.startswith("Failed to execute 'compare' in 'Bad'. ")
    assert remark in found.reason


def test_one_that_ends_its_process_takes_the_row_along_and_no_more(tmp_path: Path) -> None:
    found = result(folder(tmp_path, Bad="import os\nos._exit(3)", Good="def compare(m, g, args): return '1', ''"))

    assert found.values == {"Bad": "NaN", "Good": "NaN"}
    assert "crashed in its own process (code 3)" in found.messages[0]


def test_booleans_are_not_supported(tmp_path: Path) -> None:
    found = result(folder(tmp_path, Mine=""), mine=MINE > 2, golden=GOLDEN > 2)

    assert found == Cells({"Mine": "NaN"}, ("Algorithm Mine does not support Boolean types.",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("A:x=1", {"A": {"x": "1"}}),
        (" A : x = 1 , y=b ;B:z=3;", {"A": {"x": "1", "y": "b"}, "B": {"z": "3"}}),
        ("A:x=1;A:y=2", {"A": {"x": "1", "y": "2"}}),
        ("0:x=1", {"CosineSimilarity": {"x": "1"}}),
        ("A:", {"A": {}}),
    ],
)
def test_options_go_to_their_algorithm(text: str, expected: dict[str, dict[str, str]]) -> None:
    assert options(text) == expected


@pytest.mark.parametrize("text", ["A", ":x=1", "A:x", "A:x=", "A:=1", "A:x=1=2", "A:x=1:y=2"])
def test_what_is_no_option_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no option"):
        options(text)
