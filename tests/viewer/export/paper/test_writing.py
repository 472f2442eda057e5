"""The PDF of a report, as other programs read it."""

import re
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from core.report.cases import pictured
from errorflow.base.errors import FileError
from errorflow.base.progress import Cancelled
from errorflow.report.content import Content
from errorflow.report.contents import plots_of
from errorflow.report.paper.blocks import Bullets, GridBlock, Heading, Paper, Words
from errorflow.report.paper.making import paper_of
from errorflow_viewer.export.paper.writing import packed_paper, unpacked_paper, write_paper, write_paper_apart
from errorflow_viewer.kit.style import Appearance
from needed import needing

NOW = datetime(2026, 5, 4, 12, 30)
pytestmark = [needing("pdftotext"), pytest.mark.usefixtures("appearance")]


@pytest.fixture(scope="module")
def whole(appearance: Appearance, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a sample with a picture."""
    path = tmp_path_factory.mktemp("paper") / "case.pdf"
    write_paper(paper_of(_case(), NOW), path)
    return path


def _case() -> Content:
    case = pictured(notes={"名前/畳み込み": "看看这个节点"})
    return replace(case, plots=plots_of(case))


def _text(path: Path, *options: str) -> str:
    done = subprocess.run(["pdftotext", *options, path, "-"], check=True, capture_output=True, text=True)
    return done.stdout


def test_chinese_is_found_as_it_is_typed(tmp_path: Path) -> None:
    write_paper(Paper("大模型", "", (Words("长页 车 门 非"),)), tmp_path / "case.pdf")
    text = _text(tmp_path / "case.pdf")
    assert "大模型" in text and "长页 车 门 非" in text


def _pages(path: Path) -> list[str]:
    return _text(path, "-layout").split("\f")[:-1]


def _sizes(path: Path) -> list[str]:
    done = subprocess.run(["pdfinfo", "-l", "-1", path], check=True, capture_output=True, text=True)
    return re.findall(r"Page +\d+ size: +([\d.]+ x [\d.]+)", done.stdout)


def _paper(*blocks: object, title: str = "A title") -> Paper:
    return Paper(title, "2026-05-04", blocks)  # type: ignore[arg-type]  # any kinds of blocks


class TestWhole:
    def test_all_is_text_that_can_be_searched(self, whole: Path) -> None:
        text = " ".join(_text(whole).split())
        for said in ("What was compared", "Verdict", "The nodes that matter", "Worst tensors", "Slow drift"):
            assert said in text
        assert "/block2/project/conv/Conv" in text and "accumulated · relative error" in text

    def test_every_page_has_its_number_and_the_title(self, whole: Path) -> None:
        pages = _pages(whole)
        for number, page in enumerate(pages, 1):
            assert re.search(rf"{number} ?/ ?{len(pages)}\n", page) and "Slow drift" in page

    def test_it_is_a4_and_the_graph_lies_across(self, whole: Path) -> None:
        sizes = _sizes(whole)
        assert sizes.count("842 x 595") == 1 and set(sizes) == {"842 x 595", "595 x 842"}
        across = _pages(whole)[sizes.index("842 x 595")]
        assert "MaxPool" in across or "Conv" in across
        assert "not measured" in across  # the legend

    def test_nothing_of_it_is_pixels(self, whole: Path) -> None:
        done = subprocess.run(["pdfimages", "-list", whole], check=True, capture_output=True, text=True)
        assert len(done.stdout.splitlines()) == 2

    def test_readers_list_its_chapters(self, whole: Path) -> None:
        command = ["pdftohtml", "-xml", "-i", "-stdout", str(whole)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = re.findall(r'<item page="(\d+)">([^<]+)</item>', done.stdout)
        assert ("1", "What was compared") in found and "Graph" in {name for _, name in found}
        assert [int(page) for page, _ in found] == sorted(int(page) for page, _ in found)

    def test_it_has_a_title_of_its_own(self, whole: Path) -> None:
        done = subprocess.run(["pdfinfo", whole], check=True, capture_output=True, text=True)
        assert re.search(r"Title: +Slow drift", done.stdout) and "Syntax" not in done.stderr

    def test_letters_of_east_asia_do_not_vanish(self, whole: Path) -> None:
        text = _text(whole)
        assert ("名前" in text and "看看" in text) or ("\\u540d\\u524d" in text and "\\u770b" in text)


def test_what_no_font_can_draw_stands_as_its_code(tmp_path: Path) -> None:
    write_paper(_paper(Words("before \ue123\U0010fffd after")), tmp_path / "odd.pdf")
    assert "before \\ue123\\u10fffd after" in _text(tmp_path / "odd.pdf")


def test_a_table_has_its_heads_on_each_of_its_pages(tmp_path: Path) -> None:
    rows = tuple((f"node {number}", f"{number / 7:.4f}") for number in range(300))
    pages = write_paper(
        _paper(Heading("All"), GridBlock(("Name", "Number"), rows, (0.7, 0.3), (1,))), tmp_path / "table.pdf"
    )
    found = _pages(tmp_path / "table.pdf")
    assert len(found) == pages > 3
    assert all("Name" in page and "Number" in page for page in found)
    text = _text(tmp_path / "table.pdf")
    assert [line for line in text.split("\n") if line.startswith("node ")] == [name for name, _ in rows]


def test_a_heading_does_not_stay_alone_at_the_foot_of_a_page(tmp_path: Path) -> None:
    for filled in range(48, 58):
        lines = tuple((f"line {number}", "") for number in range(filled))
        write_paper(_paper(Bullets(lines), Heading("Chapter"), Words("what follows")), tmp_path / "heads.pdf")
        [page] = [page for page in _pages(tmp_path / "heads.pdf") if "Chapter" in page]
        assert "what follows" in page


def test_a_text_longer_than_a_page_goes_on_on_the_next(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(3000)]
    assert write_paper(_paper(Words(" ".join(words))), tmp_path / "long.pdf") > 2
    text = _text(tmp_path / "long.pdf")
    assert all(word in text for word in words[::100])


def test_a_name_without_an_end_stays_on_the_page(tmp_path: Path) -> None:
    name = "/backbone" * 60 + "/end"
    write_paper(_paper(GridBlock(("Name", "Number"), ((name, "1"),), (0.3, 0.7)), title=name), tmp_path / "wide.pdf")
    assert "/end" in "".join(_text(tmp_path / "wide.pdf").split())


class _Cancel:
    def step(self, done: int, total: int, text: str) -> None:
        raise Cancelled


class TestApart:
    def test_it_comes_back_as_it_was(self) -> None:
        paper = paper_of(_case(), NOW)
        again = unpacked_paper(packed_paper(paper))
        assert (again.title, again.about, len(again.blocks)) == (paper.title, paper.about, len(paper.blocks))
        pairs = list(zip(paper.blocks, again.blocks, strict=True))
        assert all(type(one) is type(other) for one, other in pairs)
        assert all(one == other for one, other in pairs if type(one).__name__ != "SheetBlock")

    def test_the_pages_are_the_same(self, whole: Path, tmp_path: Path) -> None:
        write_paper_apart(paper_of(_case(), NOW), tmp_path / "apart.pdf")
        assert _text(tmp_path / "apart.pdf") == _text(whole)

    def test_a_cancel_leaves_what_was_there(self, tmp_path: Path) -> None:
        (tmp_path / "case.pdf").write_bytes(b"old")
        with pytest.raises(Cancelled):
            write_paper_apart(_paper(Words("new")), tmp_path / "case.pdf", _Cancel())
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("case.pdf", b"old")]

    def test_a_folder_that_is_gone_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(FileError):
            write_paper(_paper(Words("new")), tmp_path / "gone" / "case.pdf")
