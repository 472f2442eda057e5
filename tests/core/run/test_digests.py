"""What a model is told by: its bytes, wherever they lie."""

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from time import time_ns

import numpy as np
import onnx
import pytest

from errorflow.run.digests import MARK, Digests, digest_of_model
from onnx_models import graph, model, relu, value, weight
from run_models import net


def in_an_hour() -> int:
    """By then nothing was written lately."""
    return time_ns() + 3_600_000_000_000


class Reads:
    """A progress that counts the files that are read."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def step(self, _: int, __: int, text: str) -> None:
        if text.startswith("Looking at m."):
            self.files.append(text)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """With its weights beside it."""
    place = tmp_path / "case"
    place.mkdir()
    onnx.save(net(), place / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    return place / "m.onnx"


def change(file: Path) -> None:
    """Of the same size, and as old as before."""
    before = file.stat()
    file.write_bytes(bytes(before.st_size))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def digests(path: Path, clock: Callable[[], int] = in_an_hour) -> Digests:
    return Digests(path.parent / "store" / "digests.json", large=0, clock=clock)


def test_of_a_model_in_one_file_it_is_that_of_the_file(tmp_path: Path) -> None:
    onnx.save(net(), tmp_path / "m.onnx")
    assert digest_of_model(tmp_path / "m.onnx") == sha256((tmp_path / "m.onnx").read_bytes()).hexdigest()


def test_it_changes_with_the_weights_beside_the_model(path: Path) -> None:
    before = digest_of_model(path)
    change(path.with_name("m.data"))
    assert digest_of_model(path) != before


def test_it_changes_with_the_weights_of_a_branch(tmp_path: Path) -> None:
    ends = [value("y", (2, 3))]
    branches = {
        name: graph(relu(name, "y"), outputs=ends, weights=[weight(name, np.ones((2, 3), np.float32))], name=name)
        for name in ("then_branch", "else_branch")
    }
    choice = onnx.helper.make_node("If", ["c"], ["y"], **branches)
    made = model(graph(choice, inputs=[value("c", (), onnx.TensorProto.BOOL)], outputs=ends))
    onnx.save(made, tmp_path / "m.onnx", save_as_external_data=True, location="m.data", size_threshold=0)
    before = digest_of_model(tmp_path / "m.onnx")
    change(tmp_path / "m.data")
    assert digest_of_model(tmp_path / "m.onnx") != before


def test_a_copy_made_at_another_time_is_the_same_model(path: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(path.parent, moved)
    os.utime(moved / "m.data", (1, 1))
    assert digest_of_model(moved / "m.onnx") == digest_of_model(path)


def test_large_files_are_read_once(path: Path) -> None:
    first, again = Reads(), Reads()
    found = digests(path).of_model(path, first)
    assert digests(path).of_model(path, again) == found
    assert (len(first.files), len(again.files)) == (2, 0)


def test_a_large_file_that_changed_is_read_again(path: Path) -> None:
    before = digests(path).of_model(path)
    change(path.with_name("m.data"))
    assert digests(path).of_model(path) not in ("", before)


def test_what_was_written_just_now_is_not_remembered(path: Path) -> None:
    again = Reads()
    digests(path, time_ns).of_model(path)
    digests(path, time_ns).of_model(path, again)
    assert len(again.files) == 2


@pytest.mark.parametrize(
    "rubbish", ["", "[", "[]", "[" * 10_000, f'{{"kind": "{MARK}", "version": 9, "files": {{"x": 1}}}}']
)
def test_a_store_of_rubbish_is_written_anew(path: Path, rubbish: str) -> None:
    store = path.parent / "store" / "digests.json"
    store.parent.mkdir()
    store.write_text(rubbish)
    again = Reads()
    digests(path).of_model(path)
    digests(path).of_model(path, again)
    assert not again.files


def test_what_an_earlier_version_remembered_is_believed_but_for_odd_rows(path: Path) -> None:
    found = path.stat()
    row = [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev, "their digest"]
    store = path.parent / "store" / "digests.json"
    store.parent.mkdir()
    store.write_text(json.dumps({"kind": MARK, "version": 1, "files": {os.path.realpath(path): row, "odd": [1]}}))
    assert digests(path).of_file(path) == "their digest"


def test_where_nothing_can_be_remembered_it_is_read(path: Path) -> None:
    blocked = path.parent / "blocked"
    blocked.write_text("")
    assert Digests(blocked / "digests.json", large=0, clock=in_an_hour).of_model(path) == digest_of_model(path)
