"""The page in another language: words are translated, names and programs stay."""

from collections.abc import Iterator

import pytest

from errorflow.base.language import ENGLISH, use
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak
from errorflow.report.html.page import spoken

PAGE = """<html lang='en'><style>p { color: red }</style>
<h1>Verdict</h1><p title='Search nodes'><strong>origin</strong> of
<a href='#n'>/a/Conv</a> &amp; more</p><svg><text>Shape</text></svg>
<script type="application/json" id="data">{"nodes":[["/a/Conv","Shape",0,"origin",1.5,null]]}</script>
<script>line(list, "Verdict", row[3]); if (key === "Enter") add("Show all " + n);</script></html>"""
TEXTS = {
    "Verdict": "结论",
    "origin": "源头",
    "Search nodes": "搜索节点",
    "Show all": "显示全部",
    "Shape": "形状",
    "Enter": "回车",
}


@pytest.fixture
def page() -> Iterator[str]:
    speak(CHINESE, Catalogue(TEXTS))
    yield spoken(PAGE)
    use(ENGLISH.key)


def test_in_english_the_page_is_what_it_was() -> None:
    assert spoken(PAGE) == PAGE


def test_words_and_tips_are_translated(page: str) -> None:
    assert "<html lang='zh-CN'>" in page
    assert "<h1>结论</h1><p title='搜索节点'><strong>源头</strong>" in page


def test_names_links_and_entities_stay(page: str) -> None:
    assert "<a href='#n'>/a/Conv</a> &amp; more" in page


def test_words_of_the_tables_are_translated_and_operators_stay(page: str) -> None:
    assert '[["/a/Conv","Shape",0,"源头",1.5,null]]' in page


def test_the_script_says_its_words_and_keeps_its_keys(page: str) -> None:
    assert 'line(list, "结论", row[3]); if (key === "Enter") add("显示全部 " + n);' in page
