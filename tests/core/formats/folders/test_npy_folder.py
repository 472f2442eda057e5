"""Folders of .npy files, by operator and by path."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.formats.folders.npy import NpyFolder
from errorflow.formats.runs import read_run


def saved(folder: Path, name: str, value: float = 1.0) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.full((2, 3), value, np.float32))
    return path


def opened(folder: Path) -> NpyFolder:
    run = read_run(folder)
    assert isinstance(run, NpyFolder)
    return run


class TestByOperator:
    def test_outputs_are_found_as_their_operator_is_written(self, tmp_path: Path) -> None:
        saved(tmp_path, "scope_a_b.1.1700.npy", 7)

        run = opened(tmp_path)

        stored = run.tensor("scope/a.b", 1)
        assert stored is not None
        assert stored.read()[0, 0] == 7
        assert stored.info.name == "scope_a_b.1"
        assert run.tensor("scope/a.b", 0) is None
        assert run.names() == ("scope_a_b.1",)

    def test_the_newest_counts(self, tmp_path: Path) -> None:
        saved(tmp_path, "a.0.99.npy", 1)
        saved(tmp_path, "a.0.100.npy", 2)
        saved(tmp_path, "a.0.98.npy", 3)

        run = opened(tmp_path)

        assert run.read("a.0")[0, 0] == 2
        assert all(problem.where == "a.0" for problem in run.problems)
        assert run.problems[-1].text.endswith("a.0.100.npy is the newest and is used.")

    @pytest.mark.parametrize("key", ["123", "123.npy"])
    def test_hashed_names_are_looked_up(self, key: str, tmp_path: Path) -> None:
        saved(tmp_path, "123.npy", 5)
        (tmp_path / "mapping.csv").write_text(f"{key},long.0.17.npy\n")

        assert opened(tmp_path).read("long.0")[0, 0] == 5

    def test_what_went_into_nodes_is_left_out_and_said(self, tmp_path: Path) -> None:
        for name in ("conv.0.1.npy", "input_conv.0.1.npy", "input_conv.1.1.npy", "input_1.0.1.npy"):
            saved(tmp_path, name)

        run = opened(tmp_path)

        assert run.names() == ("conv.0", "input_1.0")
        [problem] = run.problems
        assert problem.text.startswith("2 files")

    def test_a_file_of_another_name_is_not_lost(self, tmp_path: Path) -> None:
        saved(tmp_path, "conv.0.1.npy")
        saved(tmp_path, "onnx::Add_3.npy")

        assert opened(tmp_path).names() == ("conv.0", "onnx::Add_3")

    @pytest.mark.parametrize(("name", "kind"), [("conv", "npy"), ("conv_quant_layer", "npy-quantized")])
    def test_names_tell_a_quantized_run(self, name: str, kind: str, tmp_path: Path) -> None:
        saved(tmp_path, f"{name}.0.1.npy")

        assert opened(tmp_path).kind == kind


class TestByPath:
    def test_a_name_is_the_path(self, tmp_path: Path) -> None:
        saved(tmp_path, "x.npy", 1)
        saved(tmp_path, "block/1/y.npy", 2)

        run = opened(tmp_path)

        assert run.names() == ("x", "block/1/y")
        assert run.read("block/1/y")[0, 0] == 2

    def test_a_broken_file_does_not_hide_the_others(self, tmp_path: Path) -> None:
        saved(tmp_path, "x.npy")
        (tmp_path / "y.npy").write_bytes(b"no array")
        (tmp_path / "z.npy").write_bytes(b"\x93NUMPY\x01")

        run = opened(tmp_path)

        assert run.names() == ("x",)
        assert [problem.where for problem in run.problems] == ["y.npy", "z.npy"]

    def test_python_objects_are_not_loaded(self, tmp_path: Path) -> None:
        saved(tmp_path, "x.npy")
        np.save(tmp_path / "y.npy", np.array([{}], object), allow_pickle=True)

        assert "could run code" in opened(tmp_path).problems[0].text

    def test_links_out_of_the_folder_are_not_followed(self, tmp_path: Path) -> None:
        saved(tmp_path, "run/x.npy")
        (tmp_path / "run" / "y.npy").symlink_to(saved(tmp_path, "secret.npy"))
        (tmp_path / "run" / "loop").symlink_to(tmp_path / "run")

        run = opened(tmp_path / "run")

        assert run.names() == ("x",)
        assert len(run.problems) == 2

    @pytest.mark.parametrize("name", ["y", "", "x.npy"])
    def test_a_name_that_is_not_there_is_a_key_error(self, name: str, tmp_path: Path) -> None:
        saved(tmp_path, "x.npy")

        with pytest.raises(KeyError):
            opened(tmp_path).info(name)
        with pytest.raises(KeyError):
            opened(tmp_path).stored(name)

    def test_numbers_are_names_too(self, tmp_path: Path) -> None:
        saved(tmp_path, "0.npy")
        saved(tmp_path, "more/1.npy")

        assert opened(tmp_path).names() == ("0", "more/1")
