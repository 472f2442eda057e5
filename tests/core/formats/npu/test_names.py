"""What the names of dump files say."""

from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.formats.npu.names import MAX_NAME, DumpName, NpyName, dump_name, npy_name, read_mapping, written

TIME = 1_700_000_000_000_001


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (f"Conv2D.conv1.3.7.{TIME}", DumpName("Conv2D", "conv1", 3, 7, TIME)),
        (f"Conv2D.conv1.3.{TIME}", DumpName("Conv2D", "conv1", 3, None, TIME)),
        (f"Relu.a-b_c.12.2.{TIME}.0.5.6.0", DumpName("Relu", "a-b_c", 12, 2, TIME, 0, 5, 6, 0)),
        (f"Relu.r.12.{TIME}.4.487.1.0", DumpName("Relu", "r", 12, None, TIME, 4, 487, 1, 0)),
        (f"Relu.r.12.2.{TIME}.9.487.1.0", DumpName("Relu", "r", 12, 2, TIME)),
        (f"Relu.r.12.2.{TIME}.7", DumpName("Relu", "r", 12, 2, TIME)),
        (f"Opdebug.Node_OpDebug.20.2.{TIME}.output.0", DumpName("Opdebug", "Node_OpDebug", 20, 2, TIME)),
    ],
)
def test_the_parts(text: str, parts: DumpName) -> None:
    found = dump_name(text)

    assert found is not None
    assert found.written == text
    assert found == replace(parts, written=text)


@pytest.mark.parametrize(
    "text",
    ["", "x", "a.b.c.d", "Conv2D.conv1.3", "Conv 2D.a.1.2.3", "Conv2D.ä.1.2.3", "a.b.1.x.3", ".a.1.2", "a..1.2.3"],
)
def test_other_names_are_none(text: str) -> None:
    assert dump_name(text) is None


@pytest.mark.parametrize(
    ("name", "whole", "piece"),
    [
        ("conv1", "conv1", None),
        ("conv1_lxslice0", "conv1", 0),
        ("p0_sgt_graph_3_conv1_lxslice12", "conv1", 12),
        ("p0_sgt_graph_3_fp32_sgt_graph_1_conv1", "conv1", None),
        ("p0_sgt_graph_3", "p0_sgt_graph_3", None),
    ],
)
def test_the_marks_of_pieces(name: str, whole: str, piece: int | None) -> None:
    found = dump_name(f"Conv2D.{name}.1.2.{TIME}.4.1.0.0")

    assert found is not None
    assert (found.name_for("plain"), found.slice, found.is_ffts) == (whole, piece, True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("conv1.0.1700.npy", NpyName("conv1", 0, 1700)),
        ("a.b.c.12.1.npy", NpyName("a.b.c", 12, 1)),
        ("conv1.npy", None),
        ("conv1.0.npy", None),
        ("onnx::Add.0.17.npy", None),
    ],
)
def test_files_of_the_original_model(text: str, found: NpyName | None) -> None:
    assert npy_name(text) == found


def test_a_name_as_it_is_written() -> None:
    assert written("scope/a.b:0") == "scope_a_b:0"


class TestMapping:
    def test_its_names_are_found(self, tmp_path: Path) -> None:
        (tmp_path / "mapping.csv").write_text("123,Conv2D.a.1.2.3\n\n456,b.0.1.npy\r\n")

        assert read_mapping(tmp_path) == ({"123": "Conv2D.a.1.2.3", "456": "b.0.1.npy"}, ())

    def test_without_one_there_are_none(self, tmp_path: Path) -> None:
        assert read_mapping(tmp_path) == ({}, ())

    def test_a_link_that_leads_out_of_the_folder_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "elsewhere.csv").write_text("123,Conv2D.a.1.2.3\n")
        folder = tmp_path / "in"
        folder.mkdir()
        (folder / "mapping.csv").symlink_to(tmp_path / "elsewhere.csv")
        names, [problem] = read_mapping(folder)
        assert names == {}
        assert "leads out of the folder" in problem.text
        assert read_mapping(folder, tmp_path) == ({"123": "Conv2D.a.1.2.3"}, ())

    def test_a_name_without_end_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "mapping.csv").write_text(f"123,Conv2D.{'a' * MAX_NAME}.1.2.3\n")
        names, [problem] = read_mapping(tmp_path)
        assert names == {}
        assert problem.text.startswith("1 lines")

    @pytest.mark.parametrize("line", ["1,../x", "1,a/b", "1,a\\b", "x,a", "1", "1,a,b", "../1,a"])
    def test_a_line_that_is_none_is_reported(self, line: str, tmp_path: Path) -> None:
        (tmp_path / "mapping.csv").write_text(f"{line}\n2,good\n")

        names, [problem] = read_mapping(tmp_path)

        assert names == {"2": "good"}
        assert "1 lines" in problem.text
