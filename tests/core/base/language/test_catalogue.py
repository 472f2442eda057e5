"""What a language file says: whole texts, templates, and what follows from them."""

from pathlib import Path

from errorflow.base.language.catalogue import Catalogue, Template
from errorflow.base.language.table import load

FILE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context><name>a</name>
<message><source>Copy &amp;name</source><translation>复制名称(&amp;N)</translation></message>
<message><source>Open</source><translation type="unfinished"></translation></message>
<message><source>Close</source><translation type="vanished">关闭</translation></message>
</context></TS>
"""


def test_only_what_is_translated_and_in_use_is_read(tmp_path: Path) -> None:
    path = tmp_path / "some.ts"
    path.write_text(FILE, encoding="utf-8")
    texts = load(path)
    assert (texts.exact("Copy &name"), texts.exact("Open"), texts.exact("Close")) == ("复制名称(&N)", None, None)


def test_a_text_without_its_menu_key_is_known_too() -> None:
    assert Catalogue({"Copy &name": "复制名称(&N)", "&Open…": "打开(&O)…"}).exact("Copy name") == "复制名称"
    assert Catalogue({"&Open…": "打开(&O)…"}).exact("Open…") == "打开…"


def test_a_text_may_begin_with_a_small_letter_inside_of_another() -> None:
    assert Catalogue({"Not measured": "未测量"}).exact("not measured") == "未测量"


def test_a_word_on_a_button_is_another_than_the_same_word_in_a_text_where_both_are_there() -> None:
    texts = Catalogue({"Part": "拆开", "part": "部分"})
    assert (texts.exact("Part"), texts.exact("part")) == ("拆开", "部分")


def test_sentences_of_a_longer_text_are_known_for_themselves() -> None:
    texts = Catalogue({"All is well. Go on.": "一切正常。继续。"})
    assert (texts.exact("All is well."), texts.exact("Go on.")) == ("一切正常。", "继续。")


def test_of_two_templates_the_more_literal_is_tried_first() -> None:
    texts = Catalogue({"{a} of {b}": "{b}的{a}", "{count} of {total} tensors": "{total}个张量中的{count}个"})
    assert [each.source for each, _ in texts.fitting("3 of 5 tensors")] == ["{count} of {total} tensors", "{a} of {b}"]


def test_a_number_is_no_words() -> None:
    assert list(Catalogue({"{count} nodes": "{count} 个节点"}).fitting("All the other nodes")) == []


def test_what_fills_a_hole_is_within_one_sentence() -> None:
    assert list(Catalogue({"Opening {name}": "打开{name}"}).fitting("Opening a. Closing b")) == []


def test_the_same_hole_twice_is_filled_alike() -> None:
    texts = Catalogue({"{name} as it was, and {name} anew": "{name}"})
    assert [filled for _, filled in texts.fitting("x as it was, and x anew")] == [{"name": "x"}]
    assert list(texts.fitting("x as it was, and y anew")) == []


def test_what_no_template_can_make_is_seen_before_a_pattern_is_compiled() -> None:
    template = Template("Saved {name} in {count} s", "{name} 已保存，{count} 秒")
    for text in ("Opened a in 3 s", "Saved a for 3 s", "Saved a in 3 min", "Saved"):
        assert template.fits(text) is None
    assert "pattern" not in vars(template)
    assert template.fits("saved a in 3 s") == {"name": "a", "count": "3"}
    assert Template("Saving {name}", "").fits("Saving") == {"name": ""}
