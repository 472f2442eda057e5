"""Columns of the user's own: they run apart, get what the tool gives, and whatever they do is a remark."""

import os
import textwrap
from collections.abc import Iterable, Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.base.errors import FileError, UsageError
from errorflow.base.progress import Cancelled
from errorflow.compare.comparer import Cells
from errorflow.vendors.ascend.comparers.printing import Call, custom_cells, custom_columns, end_custom, options

MINE, GOLDEN = np.array([[1, 2], [3, 4]], np.float16), np.array([[1, 2], [3, 5]], np.float64)


def reason(cells: Cells) -> str:
    """As it stands in the column CompareFailReason."""
    return ",".join(cells.messages)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    end_custom()
    assert active_children() == []


def folder(path: Path, **codes: str) -> Path:
    (path / "algorithm").mkdir(exist_ok=True)
    for name, code in codes.items():
        (path / "algorithm" / f"alg_{name}.py").write_text(textwrap.dedent(code), "utf-8")
    return path


def result(path: Path, **change: Any) -> Cells:
    return custom_cells(custom_columns(path), a_call(**change))


def a_call(**change: Any) -> Call:
    facts: dict[str, Any] = {
        "mine": MINE,
        "golden": GOLDEN,
        "shape": (2, 2),
        "my_path": "/m.0",
        "golden_path": "/g.npy",
    }
    return Call(**(facts | change))


def in_turn(path: Path, paths: Iterable[str], timeout: float = 60.0) -> list[Cells]:
    """One pair after the other; they only differ in the path of the candidate's file."""
    columns = custom_columns(path)
    return [custom_cells(columns, a_call(my_path=name), timeout=timeout) for name in paths]


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
    assert reason(found).startswith("Failed to execute 'compare' in 'Bad'. ")
    assert remark in reason(found)


def test_one_that_ends_its_process_takes_the_row_along_and_no_more(tmp_path: Path) -> None:
    found = result(folder(tmp_path, Bad="import os\nos._exit(3)", Good="def compare(m, g, args): return '1', ''"))

    assert found.values == {"Bad": "NaN", "Good": "NaN"}
    assert "crashed in its own process (code 3)" in found.messages[0]


PROCESS = """
    import os
    def compare(mine, golden, args):
        if args.my_output_dump_file == "leave":
            os._exit(3)
        while args.my_output_dump_file == "hang":
            pass
        return str(os.getpid()), ""
"""


def test_many_pairs_are_measured_by_one_process(tmp_path: Path) -> None:
    found = in_turn(folder(tmp_path, Pid=PROCESS), map(str, range(300)))

    numbers = {cells.values["Pid"] for cells in found}
    assert len(numbers) == 1
    assert numbers != {str(os.getpid())}


def test_a_crash_costs_its_own_pair_only(tmp_path: Path) -> None:
    before, bad, after = in_turn(folder(tmp_path, Pid=PROCESS), ["a", "leave", "b"])

    assert "crashed in its own process (code 3)" in reason(bad)
    assert (bad.values, reason(before), reason(after)) == ({"Pid": "NaN"}, "", "")
    assert before.values["Pid"] != after.values["Pid"]


def test_a_hang_costs_its_own_pair_only(tmp_path: Path) -> None:
    made = folder(tmp_path, Pid=PROCESS)
    (bad,) = in_turn(made, ["hang"], timeout=2)
    (after,) = in_turn(made, ["b"])

    assert "took too long and was stopped" in reason(bad)
    assert after.values["Pid"].isdigit()


def test_a_cancel_ends_the_process_and_the_next_pair_starts_another(tmp_path: Path) -> None:
    made = folder(tmp_path, Pid=PROCESS)
    (before,) = in_turn(made, ["a"])

    with pytest.raises(Cancelled):
        custom_cells(custom_columns(made), a_call(my_path="hang"), Impatient())
    (after,) = in_turn(made, ["b"])

    with pytest.raises(ProcessLookupError):
        os.kill(int(before.values["Pid"]), 0)
    assert reason(after) == ""


class Impatient:
    def step(self, done: int, total: int, text: str) -> None:
        raise Cancelled


def test_code_that_has_changed_is_loaded_anew(tmp_path: Path) -> None:
    (before,) = in_turn(folder(tmp_path, A="def compare(m, g, args): return 'old', ''"), ["a"])
    changed = folder(tmp_path, A="def compare(m, g, args): return 'new!', ''") / "algorithm" / "alg_A.py"
    os.utime(changed, (1, 1))
    (after,) = in_turn(tmp_path, ["a"])

    assert (before.values, after.values) == ({"A": "old"}, {"A": "new!"})


def test_folders_with_the_same_names_are_not_mixed_up(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("x", "y")]
    for place in places:
        place.mkdir()
        folder(place, A=f"def compare(m, g, args): return '{place.name}', ''")

    assert [result(place).values["A"] for place in (*places, *places)] == ["x", "y", "x", "y"]


def test_what_algorithms_print_is_not_shown_and_disturbs_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = """
        import os, sys
        def compare(m, g, args):
            print("noise", flush=True)
            sys.stderr.write("noise")
            os.write(1, b"noise")
            return '1', ''
    """
    found = in_turn(folder(tmp_path, A=code), "abc")

    assert [cells.values["A"] for cells in found] == ["1"] * 3
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "patch",
    [
        "printing._value = lambda *arguments: ['1', 2]",
        "printing._value = lambda *arguments: ['1']",
        "workers._answer = lambda *arguments: ['done']",
        "workers._answer = lambda *arguments: ['what', 1]",
    ],
)
def test_an_answer_that_makes_no_sense_is_a_remark(tmp_path: Path, patch: str) -> None:
    """The user's code may change ours in its process, from its second call on. The third is made by another one."""
    code = f"""
        from errorflow.base import workers
        from errorflow.vendors.ascend.comparers import printing
        {patch}
        def compare(m, g, args): return '1', ''
    """
    found = in_turn(folder(tmp_path, A=code), "abc")

    assert [cells.values["A"] for cells in found] == ["1", "NaN", "1"]
    assert "makes no sense" in reason(found[1])


@pytest.mark.parametrize(
    ("text", "value"), [("type('T', (str,), {'__str__': lambda self: 1})('x')", "x"), (r"'\ud800'", r"\ud800")]
)
def test_texts_of_any_kind_come_back_as_plain_ones(tmp_path: Path, text: str, value: str) -> None:
    assert result(folder(tmp_path, A=f"def compare(m, g, args): return {text}, ''")).values == {"A": value}


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
