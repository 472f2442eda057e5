"""What every format must survive: broken, lying, huge, missing and changing files.

A new format is tested by its sample. Samples lie in tests/data/formats, one folder per key of FORMATS.
"""

import os
import random
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.cli.main import main
from errorflow.formats import FORMATS, identify, read
from errorflow.formats.format import Format
from errorflow.graph.model import Model

DATA = Path(__file__).parents[2] / "data" / "formats"
GIGABYTE = 1 << 30


def _sample(row: Format) -> Path:
    files = sorted(path for path in (DATA / row.key).iterdir() if path.is_file())
    assert files, f"tests/data/formats/{row.key} holds no sample"
    return files[0]


def _ends_in_a_sentence(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, what happened and what to do, or a file that can still be read; never a traceback."""
    code = main(["inspect", str(path)])
    said = capsys.readouterr()
    if code == 0:
        assert said.out
        return
    assert code == 2
    message, hint = said.err.strip().split("\n", 1)
    assert message.startswith("errorflow: ")
    assert message.endswith((".", "…"))
    assert hint


each_format = pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.key)


@each_format
def test_the_sample_is_recognised_whatever_its_name(row: Format, tmp_path: Path) -> None:
    path = tmp_path / "renamed.xyz"
    path.write_bytes(_sample(row).read_bytes())

    with Source(path) as source:
        assert identify(source) is row


@each_format
def test_the_sample_is_read(row: Format, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(_sample(row))]) == 0
    assert capsys.readouterr().out.strip()


@each_format
def test_what_was_read_names_its_format_as_the_table_does(row: Format) -> None:
    content = read(_sample(row))

    assert (content.format if isinstance(content, Model) else content.label) == row.label


@each_format
def test_no_other_format_claims_the_sample(row: Format) -> None:
    with Source(_sample(row)) as source:
        assert [other.key for other in FORMATS if other.claims(source)] == [row.key]


@each_format
@pytest.mark.parametrize("part", [1 / 64, 1 / 8, 1 / 3, 1 / 2, 0.9, 0.99])
def test_a_cut_off_file_ends_in_a_sentence(
    row: Format, part: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _sample(row).read_bytes()
    path = tmp_path / _sample(row).name
    path.write_bytes(data[: int(len(data) * part)])

    _ends_in_a_sentence(path, capsys)


@each_format
@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_behind_a_good_start_end_in_a_sentence(
    row: Format, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _sample(row).read_bytes()
    path = tmp_path / _sample(row).name
    path.write_bytes(data[: len(data) // 3] + random.Random(seed).randbytes(4096))

    _ends_in_a_sentence(path, capsys)


_INSPECT_EACH = """
import sys
from errorflow.cli.main import main

for path in sys.argv[1:]:
    print(f"ended with {main(['inspect', path])}")
"""


@each_format
def test_a_sparse_file_of_10_gb_takes_little_memory(row: Format, tmp_path: Path) -> None:
    """Of zeros, with a short start, and with a whole file in front."""
    paths = [tmp_path / f"{name}{_sample(row).suffix}" for name in ("zeros", "short", "whole")]
    for path, good in zip(paths, (0, 64, None), strict=True):
        path.write_bytes(_sample(row).read_bytes()[:good])
        os.truncate(path, 10 * GIGABYTE)

    done = subprocess.run(
        [sys.executable, "-c", _INSPECT_EACH, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 * GIGABYTE, 3 * GIGABYTE)),
    )

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    *said, rest = re.split(r"ended with (\d)\n", done.stdout)
    told, codes = said[::2], said[1::2]
    assert (len(codes), rest) == (len(paths), "")
    assert set(codes) <= {"0", "2"}
    assert all(text or code == "2" for text, code in zip(told, codes, strict=True))
    assert done.stderr.count("errorflow: ") == codes.count("2")


class _Spoiler:
    """Cuts the file at the first sign of progress."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def step(self, done: int, total: int, text: str) -> None:
        os.truncate(self.path, self.path.stat().st_size // 2)


@each_format
def test_a_file_cut_while_it_is_read_is_a_sentence_or_was_read_before(row: Format, tmp_path: Path) -> None:
    path = tmp_path / _sample(row).name
    path.write_bytes(_sample(row).read_bytes())

    try:
        content = read(path, _Spoiler(path))
    except ErrorflowError as error:
        assert error.hint
    else:
        assert content is not None


@each_format
def test_a_file_removed_while_it_is_read_is_still_read(row: Format, tmp_path: Path) -> None:
    path = tmp_path / _sample(row).name
    path.write_bytes(_sample(row).read_bytes())

    class Remover:
        def step(self, done: int, total: int, text: str) -> None:
            path.unlink(missing_ok=True)

    read(path, Remover())

    assert not path.exists()


@pytest.mark.parametrize("name", ["missing.onnx", ".", "bad\0name.onnx", "x" * 300])
def test_a_path_that_is_no_file_is_a_sentence(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", f"{tmp_path}/{name}"]) == 2
    assert "errorflow: " in capsys.readouterr().err


def test_a_pipe_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe.onnx"
    os.mkfifo(pipe)

    assert main(["inspect", str(pipe)]) == 2
    assert "not a regular file" in capsys.readouterr().err


def test_an_empty_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.onnx"
    path.touch()

    assert main(["inspect", str(path)]) == 2
    assert "an empty file" in capsys.readouterr().err
