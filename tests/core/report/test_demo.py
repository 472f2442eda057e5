import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.cli.main import main
from errorflow.report.demo import demo
from errorflow.report.scale import LIGHT, scale_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    assert len(list(demo(folder))) == len(SAMPLES)
    return folder


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.files: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.files |= {str(value) for name, value in attrs if name in ("src", "href")}


def test_the_page_shows_every_file_that_was_written(results: Path) -> None:
    page = _Page()
    page.feed((results / "index.html").read_text("utf-8"))

    written = {path.name for path in results.iterdir()}
    assert page.files | {"index.html"} == written
    assert len(written) == 3 * len(SAMPLES) + 1


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_each_sample_has_a_picture_of_its_graph(sample: object, results: Path) -> None:
    root = ET.parse(results / f"{sample.key}.svg").getroot()  # type: ignore[attr-defined]  # rows of SAMPLES

    assert len(list(root.iter(f"{SVG}rect"))) > 10


def _fills(picture: Path) -> list[str]:
    """Of the boxes that are painted."""
    return [rect.get("style", "").removeprefix("fill:") for rect in ET.parse(picture).getroot().iter(f"{SVG}rect")]


def test_the_fault_is_seen_and_the_twin_is_calm(results: Path) -> None:
    assert LIGHT.hex(1) in _fills(results / "node_fault.svg")
    assert LIGHT.hex(1) not in _fills(results / "clean.svg")


def test_page_and_pictures_are_of_one_palette(tmp_path: Path) -> None:
    assert main(["demo", "--out", str(tmp_path), "--palette", "blue-orange"]) == 0
    worst = scale_of("blue-orange", dark=False).hex(1)

    assert worst in _fills(tmp_path / "node_fault.svg")
    page = (tmp_path / "index.html").read_text("utf-8")
    assert f"background:{worst}" in page and LIGHT.hex(1) not in page


def test_a_second_run_writes_the_same_bytes(results: Path, tmp_path: Path) -> None:
    list(demo(tmp_path))

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in results.iterdir()
    }


def test_the_command_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path / "out")]) == 0

    said = capsys.readouterr().out
    assert all(sample.title in said for sample in SAMPLES)
    assert "index.html" in said


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()

    assert main(["demo", "--out", str(tmp_path / "file" / "out")]) == 2
    assert "Choose another folder by --out." in capsys.readouterr().err


def test_nothing_half_written_is_left(results: Path) -> None:
    assert not [path for path in results.iterdir() if path.name.startswith(".")]


def test_it_is_told_who_is_to_blame(results: Path) -> None:
    page = (results / "index.html").read_text("utf-8")

    assert (
        "Found: Node error (estimated): /block2/project/conv/Conv is where the error at probabilities begins." in page
    )
    assert "Found: Accumulated error (estimated)" in page
    assert "Found: Good: the output, probabilities, is within the limit" in page
