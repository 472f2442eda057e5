"""`errorflow compare`: any two runs, what it writes and prints, what it refuses, and the exit codes."""

import csv
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ascend_writer import graph, model, op, write_json
from errorflow.cli.main import main
from errorflow.compare.match.codes import UNSUPPORTED, WRONG_FILE
from npu_writer import NpuArray, write_npu

FUSED = Path(__file__).parents[2] / "data" / "compare" / "fused"
Run = Callable[..., int]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in a folder of its own, in this process."""
    monkeypatch.chdir(tmp_path)

    def calling(*words: str) -> int:
        return main(["compare", *words, "-out", "out", "--workers", "1"])

    return calling


def npz(path: str, **tensors: Any) -> str:
    arrays: dict[str, Any] = {name: np.asarray(values, np.float32) for name, values in tensors.items()}
    np.savez(path, **arrays)
    return path


def table(name: str = "tensors.csv") -> list[dict[str, str]]:
    with (Path("out") / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def npu(folder: str, **tensors: Any) -> str:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, (name, values) in enumerate(tensors.items()):
        path = Path(folder) / f"Relu.{name}.{number}.2.{1_700_000_000_000_000 + number}"
        write_npu(path, [], [NpuArray(np.asarray(values, np.float16))])
    return folder


def npy(folder: str, tensors: Mapping[str, Any]) -> str:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, values in tensors.items():
        np.save(Path(folder) / f"{name}.npy", np.asarray(values, np.float32))
    return folder


class TestAnyRuns:
    def test_results_take_the_place_of_links_and_do_not_follow_them(self, call: Run) -> None:
        Path("out").mkdir()
        Path("precious").write_text("precious")
        for name in ("tensors.csv", "summary.json"):
            (Path("out") / name).symlink_to(Path("precious").absolute())

        assert call("-m", npz("m.npz", a=[1, 2]), "-g", npz("g.npz", a=[1, 2])) == 0

        assert Path("precious").read_text() == "precious"
        assert [row["tensor"] for row in table()] == ["a"]

    def test_files_that_hold_texts_are_refused(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        for name in ("m.npy", "g.npy"):
            np.save(name, np.array(["a", "b"]))

        assert call("-m", "m.npy", "-g", "g.npy") == UNSUPPORTED
        assert main(["file_compare", "-m", "m.npy", "-g", "g.npy", "-out", "out"]) == WRONG_FILE
        assert capsys.readouterr().err.count("m.npy holds no numbers.") == 2

    def test_names_do_not_steer_the_terminal(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        mine, golden = npz("m.npz", d=[1], **{"a\x1b[31m\rb": [1]}), npz("g.npz", d=[1], **{"c\x9b31m": [1]})

        assert call("-m", mine, "-g", golden) == 0

        shown = capsys.readouterr().out
        assert "a\\x1b[31m\\rb" in shown
        assert all(letter.isprintable() or letter == "\n" for letter in shown)

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
    def test_names_of_files_that_are_not_text_are_written_as_escapes(self, call: Run) -> None:
        for folder in ("m", "g"):
            Path(folder).mkdir()
            np.save(Path(folder) / "a\udcff.npy", np.ones(3, np.float32))

        assert call("-m", "m", "-g", "g") == 0

        assert [row["tensor"] for row in table()] == ["a\\udcff"]

    def test_two_archives_are_compared_by_names(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        mine, golden = npz("m.npz", a=[1, 2], b=[1, 2.5], c=[0]), npz("g.npz", a=[1, 2], b=[1, 2])

        assert call("-m", mine, "-g", golden) == 0

        assert [(row["tensor"], row["rule"], row["note"]) for row in table()] == [
            ("a", "same tensor name", ""),
            ("b", "same tensor name", ""),
            ("c", "", "only in the candidate"),
        ]
        assert sorted(path.name for path in Path("out").iterdir()) == ["summary.json", "tensors.csv"]
        assert "2 tensors measured" in capsys.readouterr().out

    def test_runs_that_have_no_tensor_in_common(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("-m", npz("m.npz", a=[1]), "-g", npz("g.npz", b=[1])) == 2
        assert "No tensor could be measured" in capsys.readouterr().out

    def test_a_folder_of_arrays_and_an_archive_go_together(self, call: Run) -> None:
        assert call("-m", npz("m.npz", **{"scope/a": [1, 2]}), "-g", npy("golden", {"scope_a": [1, 2]})) == 0

        assert [(row["tensor"], row["certain"]) for row in table()] == [("scope/a", "no")]

    @pytest.mark.parametrize(
        ("name", "rule"), [("a.0.17", "same operator and position"), ("layer/a", "same file name")]
    )
    def test_two_folders_go_together_by_what_their_files_are_called(self, call: Run, name: str, rule: str) -> None:
        for folder in ("m", "g"):
            Path(folder, name).parent.mkdir(parents=True)
            npy(folder, {name: [1, 2]})

        assert call("-m", "m", "-g", "g") == 0

        assert [(row["rule"], row["certain"]) for row in table()] == [(rule, "yes")]

    def test_raw_values_need_their_shapes(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        Path("raw").mkdir()
        np.array([[1, 2]], np.float32).tofile("raw/a.bin")
        golden = npz("g.npz", a=[[1, 2]])

        assert call("-m", "raw", "-g", golden) == 6
        assert "--shapes" in capsys.readouterr().err
        assert call("-m", "raw", "-g", golden, "--shapes", "a=1x2:float32") == 0
        assert [row["cosine"] for row in table()] == ["1"]

    def test_a_model_tells_which_operator_makes_which_tensor(self, call: Run) -> None:
        write_json(Path("model.json"), model(graph(op("x", "Data", [""]), op("s/r", "Relu", ["x:0"]))))
        mine, golden = npz("m.npz", **{"s/r:0": [1, 2]}), npy("golden", {"s_r.0.17": [1, 2]})

        assert call("-m", mine, "-g", golden, "--model", "model.json") == 0

        assert [(row["tensor"], row["operator"], row["rule"]) for row in table()] == [
            ("s/r:0", "s/r", "same operator and position")
        ]

    def test_several_inputs_are_gathered(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        for sample, error in (("0", 0.0), ("1", 0.5)):
            for side in ("m", "g"):
                Path(side).mkdir(exist_ok=True)
                npz(f"{side}/{sample}.npz", a=[1, 2 + (error if side == "m" else 0)])

        assert call("-m", "m", "-g", "g", "--samples") == 0

        (row,) = table("samples.csv")
        assert (row["tensor"], row["samples"], row["cosine worst sample"]) == ("a", "2", "1")
        assert {"0_tensors.csv", "1_tensors.csv"} <= {path.name for path in Path("out").iterdir()}
        assert "samples.csv" in capsys.readouterr().out


class TestLimits:
    @pytest.mark.parametrize(("limit", "code"), [("cosine=0.5", 0), ("cosine=0.99999", 1)])
    def test_the_exit_code_tells_whether_they_are_kept(self, call: Run, limit: str, code: int) -> None:
        assert call("-m", npz("m.npz", a=[1, 2.2]), "-g", npz("g.npz", a=[1, 2]), "--limit", limit) == code

    def test_all_of_them_count(self, call: Run) -> None:
        limits = ("--limit", "cosine=0.5", "--limit", "max_absolute_error=0.1")

        assert call("-m", npz("m.npz", a=[1, 2.2]), "-g", npz("g.npz", a=[1, 2]), *limits) == 1

    @pytest.mark.parametrize("limit", ["cosine=0.5", "max_steps=3"], ids=["nothing measured", "no such metric"])
    def test_one_that_nothing_was_held_against_is_not_kept(self, call: Run, limit: str) -> None:
        name = "b" if limit.startswith("cosine") else "a"

        assert call("-m", npz("m.npz", a=[1, 2]), "-g", npz("g.npz", **{name: [1, 2]}), "--limit", limit) == 1

    @pytest.mark.parametrize(("words", "code"), [((), 2), (("--limit", "cosine=0.5"), 0)])
    def test_inputs_without_a_dump_break_none(self, call: Run, words: tuple[str, ...], code: int) -> None:
        write_json(Path("f.json"), model(graph(op("x", "Data", [""]), op("a", "Relu", ["x:0"]))))
        golden = npy("golden", {"a.0.1": [1, 2]})

        assert call("-m", npu("m", a=[1, 2]), "-g", golden, "-f", "f.json", *words) == code

    def test_they_are_said_of_two_arrays_too(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        np.save("m.npy", np.array([1, 2, 4], np.float32))
        np.save("g.npy", np.array([1, 2, 3], np.float32))

        assert call("-m", "m.npy", "-g", "g.npy", "--limit", "max_absolute_error=0.5") == 1
        assert "Limit max_absolute_error ≤ 0.5 is broken by 1 tensor" in capsys.readouterr().out

    def test_one_that_is_none_is_said_before_anything_is_read(
        self, call: Run, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("-m", "nowhere", "-g", "nowhere", "--limit", "nice=1") == 6
        assert "nice" in capsys.readouterr().err


class TestPrinting:
    def test_json_is_for_programs(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        call("-m", npz("m.npz", a=[1, 2]), "-g", npz("g.npz", a=[1, 2]), "--json")

        found = json.loads(capsys.readouterr().out)
        assert found["tensors"]["measured"] == 1
        assert found["files"] == ["out/tensors.csv", "out/summary.json"]

    def test_two_arrays_as_json(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        np.save("m.npy", np.array([1, 2], np.float32))

        assert call("-m", "m.npy", "-g", "m.npy", "--json") == 0
        assert json.loads(capsys.readouterr().out)["worst"][0]["values"]["max_absolute_error"] == 0

    def test_two_arrays_are_only_printed(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        np.save("m.npy", np.array([1, 2, 4], np.float32))
        np.save("g.npy", np.array([1, 2, 3], np.float32))

        assert call("-m", "m.npy", "-g", "g.npy", "-alg", "1", "MeanAbsoluteError") == 0

        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split() == ["MaxAbsoluteError", "MeanAbsoluteError"]
        assert lines[1].split() == ["1.000000", "0.333333"]
        assert any(line.startswith("Cosine similarity") for line in lines[2:])
        assert not Path("out").exists()

    def test_two_arrays_of_different_shapes_are_refused(self, call: Run) -> None:
        np.save("m.npy", np.zeros((2, 3)))
        np.save("g.npy", np.zeros((3, 2)))

        assert call("-m", "m.npy", "-g", "g.npy") == 23


class TestAsTheTool:
    def test_without_a_model_two_dumps_are_compared_by_operators(self, call: Run) -> None:
        assert call("-m", npu("m", a=[1, 2]), "-g", npu("g", a=[1, 2])) == 0

        assert len(list(Path("out").glob("result_*.csv"))) == 1

    def test_a_dump_is_found_below_the_folder_that_is_given(self, call: Run) -> None:
        npu("m/20260101000000/0/net/1/0", a=[1, 2])

        assert call("-m", "m", "-g", npu("g", a=[1, 2])) == 0

    def test_several_models_have_a_result_each(self, call: Run) -> None:
        for name in ("one", "two"):
            npu(f"20260101000000/0/{name}/1/0", **{f"op_{name}": [1, 2]})
            Path("rules").mkdir(exist_ok=True)
            write_json(Path(f"rules/{name}.json"), model(graph(op(f"op_{name}", "Relu"), name=name)))
        golden = npy("golden", {"op_one.0.1": [1, 2], "op_two.0.1": [1, 2]})

        assert call("-m", "20260101000000", "-g", golden, "-f", "rules") == 0

        names = {path.name.split("_result")[0] for path in Path("out").glob("*result*.csv")}
        assert names == {"0_one_0", "0_two_0"}

    def test_one_operator_is_looked_at_value_by_value(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        write_json(Path("f.json"), model(graph(op("a", "Relu"))))
        golden = npy("golden", {"a.0.1": [1, 2.5]})

        assert call("-m", npu("m", a=[1, 2]), "-g", golden, "-f", "f.json", "-op", "a", "-o", "0") == 0

        assert "MaxAbsoluteError:0.500000" in capsys.readouterr().out
        assert Path("out/a_output_0_0.csv").is_file()

    @pytest.mark.parametrize(
        ("words", "code"),
        [(("-op", "b"), 6), (("-op", "a", "-o", "7"), 12), (("-op", "a", "-i", "x"), 6), (("-op", "a", "-n", "0"), 12)],
    )
    def test_an_operator_that_is_not_there_is_refused(self, call: Run, words: tuple[str, ...], code: int) -> None:
        write_json(Path("f.json"), model(graph(op("a", "Relu"))))

        assert call("-m", npu("m", a=[1]), "-g", npy("golden", {"a.0.1": [1]}), "-f", "f.json", *words) == code

    def test_the_mapping_reads_no_values(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        write_json(Path("f.json"), model(graph(op("a", "Relu"))))

        assert call("-m", npu("m", a=[1]), "-g", npy("golden", {"a.0.1": [1]}), "-f", "f.json", "-map") == 0

        (path,) = Path("out").glob("mapping_*.csv")
        assert path.read_text().splitlines()[1].startswith("0,Relu,a,a,a:output:0,")
        assert str(path) in capsys.readouterr().out

    def test_an_earlier_call_is_gone_on_with(self, call: Run, tmp_path: Path) -> None:
        shutil.copytree(FUSED, tmp_path / "case")
        words = ("-m", "case/mine", "-g", "case/golden", "-f", "case/fusion.json")

        assert call(*words) == call(*words, "--resume") == 2

    def test_columns_of_the_users_own_are_run(self, call: Run) -> None:
        Path("own/algorithm").mkdir(parents=True)
        Path("own/algorithm/alg_Count.py").write_text("def compare(a, b, args):\n    return str(len(a)), ''\n")
        write_json(Path("f.json"), model(graph(op("a", "Relu"))))
        golden = npy("golden", {"a.0.1": [1, 2]})

        assert call("-m", npu("m", a=[1, 2]), "-g", golden, "-f", "f.json", "-c", "own", "-alg", "Count,1") == 0

        (path,) = Path("out").glob("result_*.csv")
        with path.open(newline="") as file:
            (row,) = csv.DictReader(file)
        assert (row["Count"], row["MaxAbsoluteError"]) == ("2", "0.000000")


class TestLeftOvers:
    def test_what_has_no_partner_is_said_and_written(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        write_json(Path("f.json"), model(graph(op("a", "Relu"))))
        mine, golden = npu("m", a=[1], stray=[1]), npy("golden", {"a.0.1": [1], "unasked.0.1": [1]})
        Path("m/notes").write_text("seen by nobody")

        assert call("-m", mine, "-g", golden, "-f", "f.json") == 0

        shown = capsys.readouterr().out
        assert "Nothing was compared with these of the candidate: stray" in shown
        assert "Nothing was compared with these of the reference: unasked.0" in shown
        assert "notes" in shown
        summary = json.loads(Path("out/summary.json").read_text(encoding="utf-8"))
        assert (summary["only in the candidate"], summary["only in the reference"]) == (["stray"], ["unasked.0"])


class TestRefused:
    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (("-r", "1,2,1"), 6),
            (("-s", "1", "-f", "f.json", "-op", "a"), 6),
            (("-r", "1,2,1", "-s", "1", "-f", "f.json"), 6),
            (("-max", "-1"), 6),
            (("-map",), 6),
            (("-map", "-op", "a", "-f", "f.json"), 6),
            (("-o", "0"), 6),
            (("-n", "3"), 6),
            (("--ignore_single_op_result",), 6),
            (("-p", "1"), 6),
            (("-alg", "nothing"), 31),
            (("-f", "f.json", "-q", "q.json"), 6),
            ((), 6),
        ],
    )
    def test_what_does_not_go_together(
        self, call: Run, words: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
    ) -> None:
        mine, golden = npu("m", a=[1]), npy("golden", {"a.0.1": [1]})

        assert call("-m", mine, "-g", golden, *words) == code

        assert len(capsys.readouterr().err.splitlines()) == 2
        assert not Path("out").exists()

    def test_pytorchs_dumps(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        Path("m.h5").write_bytes(b"")
        Path("g.h5").write_bytes(b"")

        assert call("-m", "m.h5", "-g", "g.h5") == 30
        assert "numpy.savez" in capsys.readouterr().err

    def test_an_archive_against_a_dump(self, call: Run, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("-m", npu("m", a=[1]), "-g", npz("g.npz", a=[1])) == 20
        assert "operator.output.timestamp.npy" in capsys.readouterr().err
