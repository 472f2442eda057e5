"""The manual: which pages there are, what is found in them, and where links lead."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, use
from errorflow_viewer.help.manual import CONTENTS, Manual, headings, resolved, slug
from errorflow_viewer.help.where import GRAPH, HELP, page_for
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.window.support import KEYS
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model

ROOT = Path(__file__).parents[3]
MANUAL = Manual.read()
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
_COMMENT = re.compile(r"\s+(?:#|& rem) .*")
# What is made of tables of the code, with links of the page that it stands for.
_WITHOUT_TABLES = re.compile(r"<!-- (\w+) -->.*?<!-- /\1 -->", re.DOTALL)


def _exists(page: str, heading: str) -> bool:
    if page not in MANUAL.pages:
        return False
    headings = re.findall(r"^#+ +(.+)$", MANUAL.pages[page].text, re.MULTILINE)
    return not heading or heading in {slug(text.replace("`", "")) for text in headings}


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_every_panel_has_a_page(panel: Panel) -> None:
    path, _, heading = panel.help.partition("#")
    assert _exists(path, heading), f"{path}#{heading}"


def test_every_page_of_the_window_has_one(window: MainWindow) -> None:
    own = window.whole_pages
    pages: list[QWidget] = [window.start, own.align, own.ticket, own.verdict]
    for page in pages:
        path, heading = page_for(page)
        assert page.property(HELP) and _exists(path, heading), f"{type(page).__name__}: {path}"
    assert _exists(GRAPH, "")


@pytest.mark.parametrize("path", sorted(MANUAL.pages))
def test_pictures_and_headings_that_a_page_names_are_there(path: str) -> None:
    page = MANUAL.pages[path]
    for name in _PICTURE.findall(page.text):
        target, _ = resolved(path, name)
        assert (MANUAL.folder / target).is_file(), name
    for link in _LINK.findall(page.text):
        if not link.startswith("http"):
            target, heading = resolved(path, link)
            assert target not in MANUAL.pages or _exists(target, heading), link


def test_pictures_are_small_for_they_are_shipped() -> None:
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs/pictures").iterdir()}
    spoken = {path.name: path.stat().st_size for path in (ROOT / "docs/zh_CN/pictures").iterdir()}
    assert [name for name, size in (*sizes.items(), *spoken.items()) if size > 150 * 1024] == []
    assert sum(spoken.values()) < 1.5 * 1024 * 1024


def test_the_wheel_gets_every_folder_and_page() -> None:
    config = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for path in MANUAL.pages:
        folder = f'"docs/{path.rpartition("/")[0] if "/" in path else path}" = "errorflow_resources/help/'
        assert folder in config, path


@pytest.fixture
def chinese() -> Iterator[None]:
    use("zh_CN")
    yield
    use(ENGLISH.key)


SPOKEN = sorted(path.relative_to(ROOT / "docs/zh_CN").as_posix() for path in (ROOT / "docs/zh_CN").rglob("*.md"))


@pytest.mark.parametrize("path", SPOKEN)
def test_a_translated_page_has_the_headings_code_and_pictures_of_the_english_one(path: str, chinese: None) -> None:
    """So that what leads to an English heading finds it there; comments in code are words."""
    english, said = MANUAL.pages[path].text, MANUAL.text(path)
    pictures = [MANUAL.target(path, name)[0] for name in _PICTURE.findall(said)]
    assert pictures == [resolved(path, name)[0] for name in _PICTURE.findall(english)]
    assert len(headings(said)) == len(headings(english))
    assert said != english
    assert _code(said) == _code(english)


@pytest.mark.parametrize("path", SPOKEN)
def test_links_of_a_translated_page_are_those_of_the_english_one(path: str, chinese: None) -> None:
    """And each file and heading is there, for the app and for who reads the folder."""
    english = _WITHOUT_TABLES.sub("", MANUAL.pages[path].text)
    said = _WITHOUT_TABLES.sub("", (ROOT / "docs/zh_CN" / path).read_text(encoding="utf-8"))
    links = [link for link in _LINK.findall(said) if not link.startswith("http")]
    targets = [MANUAL.target(path, link) for link in links]
    asked = [resolved(path, link)[0] for link in _LINK.findall(english) if not link.startswith("http")]
    assert sorted(target for target, _ in targets) == sorted(asked)
    for link, (target, heading) in zip(links, targets, strict=True):
        assert ((ROOT / "docs/zh_CN" / path).parent / (link.partition("#")[0] or ".")).exists(), link
        if heading and target in MANUAL.pages:
            assert MANUAL.heading(target, heading) in map(slug, headings(MANUAL.text(target))), link


@pytest.mark.parametrize("path", SPOKEN)
def test_a_translated_page_shows_the_window_in_its_language_where_there_is_such_a_picture(path: str) -> None:
    text = (ROOT / "docs/zh_CN" / path).read_text(encoding="utf-8")
    for name in _PICTURE.findall(text):
        file = ((ROOT / "docs/zh_CN" / path).parent / name).resolve()
        own = ROOT / "docs/zh_CN/pictures" / file.name
        assert file.is_file(), name
        assert file == own or not own.is_file(), f"{name}: there is one in Chinese"


def test_pictures_are_those_of_the_language(chinese: None) -> None:
    """And of the English page where a translated one names one that is not there."""
    page = "how-to/first-steps.md"
    assert MANUAL.picture(page, "../pictures/start.png") == MANUAL.folder / "zh_CN/pictures/start.png"
    assert MANUAL.picture(page, "../pictures/evaluate-panel.png") == MANUAL.folder / "pictures/evaluate-panel.png"
    use(ENGLISH.key)
    assert MANUAL.picture(page, "../pictures/start.png") == MANUAL.folder / "pictures/start.png"


def _code(text: str) -> list[str]:
    lines = "\n".join(re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).split("\n")
    return [_COMMENT.sub("", line) for line in lines]


def test_links_of_a_translated_page_lead_to_pages_and_headings_in_either_language(chinese: None) -> None:
    assert MANUAL.target("how-to/first-steps.md", "start-a-comparison.md") == ("how-to/start-a-comparison.md", "")
    assert MANUAL.target("how-to/install.md", "../../how-to/evaluate.md#x") == ("how-to/evaluate.md", "x")
    assert MANUAL.target("how-to/export.md", "install.md#with-pip") == ("how-to/install.md", "with-pip")
    assert MANUAL.heading("how-to/install.md", "with-pip") == slug("使用 pip")
    assert MANUAL.heading("how-to/export.md", "anything") == "anything"


def test_tables_of_the_code_are_in_the_language_of_the_page(chinese: None) -> None:
    text = MANUAL.text("how-to/start-a-comparison.md")
    assert "编译后的模型（ATC JSON 或 .om） (`-f`)" in text
    assert "`torch.onnx.export(model, inputs, 'model.onnx')`" in text


def test_a_bar_within_a_cell_of_such_a_table_does_not_end_it(chinese: None) -> None:
    (row,) = (line for line in MANUAL.text("how-to/calibrate.md").split("\n") if line.startswith("| `mse` |"))
    assert "最小化" in row and r"Σ x²（\|x\| \< s/2）" in row


@pytest.mark.parametrize("path", ["advice.md", "how-to/calibrate.md"])
def test_marks_of_such_tables_are_not_read(path: str) -> None:
    """Behind a table each would be a row with nothing in it."""
    assert "<!--" in MANUAL.pages[path].text and "<!--" not in MANUAL.text(path)


def test_marks_of_such_tables_are_not_read_in_chinese(chinese: None) -> None:
    assert "<!--" not in MANUAL.text("how-to/calibrate.md")


def test_a_table_of_the_code_has_the_head_that_the_page_gives_it(chinese: None) -> None:
    """Words such as "steps" and "follows" mean something else elsewhere, or nothing."""
    text = MANUAL.text("how-to/follow-the-guide.md")
    assert "| 向导 | 适用情形 | 步骤 | 依据 |\n| --- | --- | --- | --- |\n| `ascend-caffe` |" in text
    assert "| 校准图片 | 10 到 100 张 | 仅供参考 |" in text


def test_every_page_is_there_in_chinese() -> None:
    """But for the list of shortcuts, which is made of texts of the interface."""
    assert set(SPOKEN) == set(MANUAL.pages) - {KEYS}


def test_a_page_that_is_there_in_english_only_says_so(chinese: None, tmp_path: Path) -> None:
    (tmp_path / "new.md").write_text("# New\n\nText\n", encoding="utf-8")
    assert Manual.read(tmp_path).text("new.md").split("\n")[2] == "*本页只有英文版。*"


def test_the_contents_name_pages_in_chinese(chinese: None) -> None:
    assert "- [将图导出为图片](how-to/export.md)" in MANUAL.text(CONTENTS)


def test_pages_are_found_by_words_of_either_language(chinese: None) -> None:
    assert MANUAL.search("工单包")[0].page.path == "how-to/make-a-ticket.md"
    assert MANUAL.search("make a ticket")[0].page.path == "how-to/make-a-ticket.md"


def test_all_words_are_searched_and_titles_come_first() -> None:
    found = MANUAL.search("outliers loud")

    assert found and found[0].page.path == "how-to/find-outliers.md"
    assert all("loud" in f"{each.page.title} {each.page.plain}".lower() for each in found)
    assert MANUAL.search("there-is-no-such-word") == []


class TestWindow:
    def test_f1_opens_the_page_of_the_panel_with_the_keyboard(self, window: MainWindow, qtbot: QtBot) -> None:
        window.show()
        window.document.open(branching_model())
        window.panels.show("nodes")
        window.activateWindow()
        window.panels.by_key["nodes"].content.search.setFocus()  # type: ignore[attr-defined]  # the panel of nodes
        qtbot.waitUntil(lambda: window.focusWidget() is not None)
        window.commands.made["help"].trigger()

        assert window.support.manual.isVisible()
        assert window.support.manual.reader.path in ("how-to/search.md", GRAPH)
        window.support.manual.close()

    def test_back_and_forward(self, window: MainWindow) -> None:
        window.support.show_help("metrics.md")
        manual = window.support.manual
        manual.show_page("words.md")
        manual.go_back()
        assert manual.reader.path == "metrics.md"
        manual.go_forward()
        assert manual.reader.path == "words.md"
        manual.close()

    def test_a_link_leads_to_its_heading(self, window: MainWindow) -> None:
        window.support.show_help("how-to/simulate-in-the-window.md")
        manual = window.support.manual
        manual.reader._follow(QUrl("calibrate.md#samples"))

        assert manual.reader.path == "how-to/calibrate.md"
        assert manual.reader.textCursor().block().text() == "Samples"
        manual.close()

    def test_the_net_is_left_to_the_system(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        opened: list[str] = []
        monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
        window.support.show_help("metrics.md")
        window.support.manual.reader._follow(QUrl("https://example.org/x"))

        assert opened == ["https://example.org/x"]
        assert window.support.manual.reader.path == "metrics.md"
        window.support.manual.close()

    def test_pictures_outside_of_the_manual_are_not_read(self, window: MainWindow) -> None:
        window.support.show_help("metrics.md")
        reader = window.support.manual.reader

        assert reader._picture("../../etc/passwd") is None
        assert reader._picture("pictures/start.png") is not None
        window.support.manual.close()

    def test_what_is_searched_is_listed(self, window: MainWindow) -> None:
        window.support.show_help(CONTENTS)
        manual = window.support.manual
        manual.search.setText("percentile")

        assert manual.entries.rowCount() == len(manual.manual.search("percentile"))
        manual.search.clear()
        assert manual.entries.rowCount() == len(manual.manual.sections)
        manual.close()
