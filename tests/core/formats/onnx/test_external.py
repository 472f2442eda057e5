"""Values in files beside the model: found there, never elsewhere."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from errorflow.base.errors import ErrorflowError, FileError, FormatError
from errorflow.formats import read as read_file
from errorflow.graph.model import Model
from onnx_models import with_weight

Reads = Callable[..., Model]
VALUES = np.arange(4, dtype=np.float32)


def beside(location: str = "w.bin", **notes: Any) -> onnx.ModelProto:
    """A model with one tensor whose values are in the file `location`."""
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **notes}.items():
        tensor.external_data.add(key=key, value=str(text))
    return with_weight(tensor)


def read(reads: Reads, proto: onnx.ModelProto) -> list[float]:
    return [float(number) for number in reads(proto).graph.weights.read("w")]


def test_values_are_read_from_the_file_beside_the_model(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())

    assert read(reads, beside()) == [0, 1, 2, 3]


def test_values_are_read_from_their_place(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(100) + VALUES.tobytes() + bytes(7))

    assert read(reads, beside(offset=100, length=16)) == [0, 1, 2, 3]


@pytest.mark.parametrize("location", ["data/w.bin", "data\\w.bin", "./data/w.bin"])
def test_a_folder_below_the_model_is_fine(location: str, reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "w.bin").write_bytes(VALUES.tobytes())

    assert read(reads, beside(location)) == [0, 1, 2, 3]


def test_a_tensor_too_large_for_memory_is_not_even_read(reads: Reads, tmp_path: Path) -> None:
    proto = beside()
    proto.graph.initializer[0].dims[0] = 1 << 40
    (tmp_path / "w.bin").touch()
    os.truncate(tmp_path / "w.bin", 1 << 42)

    with pytest.raises(FormatError, match="more than are read into memory"):
        read(reads, proto)


def test_the_facts_say_where_values_are(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    found = reads(beside())

    assert dict(found.facts)["Values in"] == "w.bin"
    assert found.graph.weights.info("w").location == "w.bin"
    assert found.problems == ()


def test_a_missing_file_is_a_problem_at_once_and_a_sentence_later(reads: Reads) -> None:
    found = reads(beside())

    assert "copy them into the folder of the model: w.bin" in found.problems[0].text
    with pytest.raises(FileError, match=r"w\.bin, which is missing") as caught:
        found.graph.weights.read("w")
    assert "Copy w.bin into the folder of model.onnx" in caught.value.hint


OUTSIDE = ["../w.bin", "a/../../w.bin", "/etc/hostname", "C:\\w.bin", "\\\\server\\w.bin", "..\\w.bin", "", "w\0.bin"]


@pytest.mark.parametrize("location", OUTSIDE)
def test_other_folders_are_refused(location: str, reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    inside = tmp_path / "inside"
    inside.mkdir()
    found = reads(beside(location), name="inside/model.onnx")

    assert "outside of its folder" in found.problems[0].text
    with pytest.raises(FormatError, match="outside of its folder"):
        found.graph.weights.read("w")


def test_a_link_that_leads_out_is_refused(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(VALUES.tobytes())
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "w.bin").symlink_to(tmp_path / "secret.bin")

    with pytest.raises(FormatError, match="a link that leads out"):
        reads(beside(), name="inside/model.onnx").graph.weights.read("w")


def test_a_folder_that_is_a_link_is_refused_when_it_leads_out(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "w.bin").write_bytes(VALUES.tobytes())
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "data").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(FormatError, match="a link that leads out"):
        reads(beside("data/w.bin"), name="inside/model.onnx").graph.weights.read("w")


def test_a_link_within_the_folder_is_followed(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(VALUES.tobytes())
    (tmp_path / "w.bin").symlink_to("real.bin")

    assert read(reads, beside()) == [0, 1, 2, 3]


def test_a_model_that_is_itself_a_link_has_its_values_where_the_link_is(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "abc").write_bytes(beside().SerializeToString())
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    (tmp_path / "linked.onnx").symlink_to("blobs/abc")

    content = read_file(tmp_path / "linked.onnx")

    assert isinstance(content, Model)
    assert content.graph.weights.read("w").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        ({"offset": 1}, "cut off"),
        ({"offset": 2**62}, "cut off"),
        ({"length": 8}, "needs 16 bytes, the model says 8"),
        ({"length": 2**62}, "needs 16 bytes"),
        ({"offset": -1}, "no number"),
        ({"offset": "١"}, "no number"),
        ({"offset": "9" * 5000}, "no number"),
        ({"length": "0x10"}, "no number"),
    ],
)
def test_places_that_are_not_in_the_file_are_a_sentence(
    notes: dict[str, Any], reason: str, reads: Reads, tmp_path: Path
) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())

    with pytest.raises(FormatError, match=reason):
        read(reads, beside(**notes))


def test_texts_cannot_be_beside_the_model(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"text")
    proto = beside()
    proto.graph.initializer[0].data_type = TensorProto.STRING

    with pytest.raises(FormatError, match="texts as raw bytes"):
        read(reads, proto)


def test_a_folder_in_place_of_the_file_is_a_sentence(reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").mkdir()

    with pytest.raises(FileError, match="missing"):
        read(reads, beside())


def test_a_pipe_in_place_of_the_file_is_a_sentence(reads: Reads, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "w.bin")

    with pytest.raises(FileError, match="missing"):
        read(reads, beside())


@pytest.mark.parametrize("location", ["x" * 5000, "/".join(["x"] * 3000), "w.bin/x"])
def test_names_that_no_file_can_have_are_a_sentence(location: str, reads: Reads, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(VALUES.tobytes())
    found = reads(beside(location))

    assert len(found.problems) == 1
    with pytest.raises(ErrorflowError):
        found.graph.weights.read("w")


def test_values_without_permission_are_a_sentence(as_nobody: Path) -> None:
    (as_nobody / "w.bin").write_bytes(VALUES.tobytes())
    (as_nobody / "w.bin").chmod(0)
    (as_nobody / "model.onnx").write_bytes(beside().SerializeToString())
    found = read_file(as_nobody / "model.onnx")

    assert isinstance(found, Model)
    with pytest.raises(FileError, match=r"w\.bin may not be read") as caught:
        found.graph.weights.read("w")
    assert "permission" in caught.value.hint


def test_a_model_without_permission_is_a_sentence(as_nobody: Path) -> None:
    (as_nobody / "model.onnx").write_bytes(beside().SerializeToString())
    (as_nobody / "model.onnx").chmod(0)

    with pytest.raises(FileError, match=r"model\.onnx may not be read"):
        read_file(as_nobody / "model.onnx")
