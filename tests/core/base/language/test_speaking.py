"""How a translation is put together from whole texts, templates and parts."""

from html import escape

import pytest

from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.speaking import Speaker

TEXTS = {
    "Open": "打开",
    "File": "文件",
    "Shape": "形状",
    "origin": "源头",
    "exact": "精确",
    "Verdict": "结论",
    "Not measured": "未测量",
    "Loading libraries": "正在加载库",
    "the shapes differ": "形状不同",
    "Copy &name": "复制名称(&N)",
    "Show the whole graph": "显示整个图",
    "{count} nodes": "{count} 个节点",
    "{count} node": "{count} 个节点",
    "{name} is not there": "{name} 不存在",
    "Node error: {node} brings {share} of the error at {output}.": "节点误差：{node} 引起 {output} 处误差的 {share}。",
    "Cancelled: {text}": "已取消：{text}",
    "{number} of {count} are measured": "已测量 {count} 个中的 {number} 个",
    "What it holds is of no use.": "其内容没有用处。",
    "Models": "模型",
    "All files (*)": "所有文件 (*)",
    "{a} of {b}": "{b}的{a}",
    "exact so far": "目前精确",
    "Drag to move (M)": "拖动以移动 (M)",
    "turn the wheel, `+` and `-`": "转动滚轮，`+` 和 `-`",
}


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    return Speaker(Catalogue(TEXTS), CHINESE.marks)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Open", "打开"),
        ("  Open\n", "  打开\n"),
        ("Open…", "打开…"),
        ("not measured", "未测量"),
        ("Not measured:", "未测量："),
        ("&File", "文件(&F)"),
        ("12 nodes", "12 个节点"),
        ("1,024 nodes.", "1,024 个节点。"),
        ("/a/model.onnx is not there", "/a/model.onnx 不存在"),
        ("Cancelled: Loading libraries", "已取消：正在加载库"),
        ("Verdict: origin (exact)", "结论：源头（精确）"),
        ("12 nodes, the shapes differ", "12 个节点，形状不同"),
        ("12 nodes · Not measured", "12 个节点 · 未测量"),
        ("Show the whole graph (Ctrl+0)", "显示整个图 (Ctrl+0)"),
        ("3 % of 12 are measured", "已测量 12 个中的 3 % 个"),
        ("a.npy is not there. What it holds is of no use.", "a.npy 不存在。其内容没有用处。"),
        ("Models (*.onnx *.om);;All files (*)", "模型 (*.onnx *.om);;所有文件 (*)"),
        ("Not measured\n\n12 nodes", "未测量\n\n12 个节点"),
        ('<p title="Not measured">12 nodes</p>', '<p title="未测量">12 个节点</p>'),
        ("<i title='It&#x27;s &quot;12 nodes&quot;'>Open</i>", "<i title='It&#x27;s &quot;12 nodes&quot;'>打开</i>"),
        ("Not measured 4.2e−05", "未测量 4.2e−05"),
        ("Drag to move", "拖动以移动"),
        ("Open. 1 of 2. 12 nodes.", "打开。1 / 2。12 个节点。"),
        ("turn the wheel, + and -", "转动滚轮，+ 和 -"),
        ("Not measured: import numpy; numpy.load(1)", "未测量：import numpy; numpy.load(1)"),
        ("• 12 nodes", "• 12 个节点"),
        ("12 of 30", "12 / 30"),
        ("a.npy is not there (Ctrl+Shift+N)", "a.npy 不存在 (Ctrl+Shift+N)"),
        (". 12 nodes. Not measured: …", "。12 个节点。未测量：…"),
        ("Not measured 12 %", "未测量 12 %"),
        ("12 nodes; 3 nodes", "12 个节点；3 个节点"),
        ("Node error: a brings 9 % of the error at out. exact so far", "节点误差：a 引起 out 处误差的 9 %。目前精确"),
    ],
)
def test_texts_and_what_is_made_of_them(speaker: Speaker, text: str, said: str) -> None:
    assert speaker.say(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "/block2/conv/Conv_output_0",
        "Conv",
        "errorflow compare a b",
        "probabilities",
        "3.5 dB",
        "",
        "a note that somebody wrote of his model",
    ],
)
def test_names_commands_and_what_users_wrote_stay(speaker: Speaker, text: str) -> None:
    assert speaker.say(text) == text


def test_the_type_of_an_operator_is_translated_as_a_label_only(speaker: Speaker) -> None:
    assert (speaker.say("Shape"), speaker.say("Shape", label=True)) == ("Shape", "形状")


def test_a_name_that_is_a_word_of_the_interface_stays_inside_of_a_sentence(speaker: Speaker) -> None:
    assert speaker.say("File is not there") == "File 不存在"


def test_tags_links_and_entities_survive(speaker: Speaker) -> None:
    said = speaker.say("<p><b>Verdict</b><br><a href='node:1'>/a/Conv</a> &amp; more</p><td>12 nodes</td>")
    assert said == "<p><b>结论</b><br><a href='node:1'>/a/Conv</a> &amp; more</p><td>12 个节点</td>"


def test_a_link_may_stand_in_a_hole(speaker: Speaker) -> None:
    said = speaker.say("Node error: <a href='node:1'>/a/Conv</a> brings 100&nbsp;% of the error at out.")
    assert said == "节点误差：<a href='node:1'>/a/Conv</a> 引起 out 处误差的 100 %。"


def test_sentences_with_links_are_said_one_by_one(speaker: Speaker) -> None:
    said = speaker.say(
        "Node error: <a href='n'>/a</a> brings 9 % of the error at <a href='t'>out</a>. 3 of 6 are measured."
    )
    assert said == "节点误差：<a href='n'>/a</a> 引起 <a href='t'>out</a> 处误差的 9 %。已测量 6 个中的 3 个。"


def test_places_where_a_long_name_may_break_do_not_hide_a_text(speaker: Speaker) -> None:
    assert speaker.say("/a/\u200bb is not there") == "/a/\u200bb 不存在"


def test_a_template_of_few_letters_needs_to_understand_what_fills_it(speaker: Speaker) -> None:
    assert speaker.say("some words of somebody") == "some words of somebody"


def test_what_users_wrote_themselves_stays(speaker: Speaker) -> None:
    note = "Show the whole graph"
    speaker.keep(frozenset((note,)))
    assert speaker.say(note) == note
    assert speaker.say(f"Cancelled: {note}") == f"已取消：{note}"
    speaker.keep(frozenset())
    assert speaker.say(note) == "显示整个图"


TAGS = '<p title="Not measured">12 nodes</p> it was'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TAGS, TAGS),
        (f"Verdict: {TAGS}", f"结论：{TAGS}"),
        (f'<b title="12 nodes">Verdict</b>: {escape(TAGS)}', f'<b title="12 个节点">结论</b>: {escape(TAGS)}'),
        (f"Verdict: {escape(TAGS, quote=False)}", f"结论：{escape(TAGS, quote=False)}"),
        (f'<b title="{escape(TAGS)}">Verdict</b>', f'<b title="{escape(TAGS)}">结论</b>'),
        ('<p title="Not measured">12 nodes</p>', '<p title="未测量">12 个节点</p>'),
        (f"{chr(0xF0000)}: 12 nodes", f"{chr(0xF0000)}: 12 个节点"),
    ],
)
def test_what_looks_like_a_tag_in_a_users_own_text_is_none(speaker: Speaker, text: str, said: str) -> None:
    speaker.keep(frozenset((TAGS,)))
    try:
        assert speaker.say(text) == said
    finally:
        speaker.keep(frozenset())


def test_a_command_to_copy_is_not_looked_through_for_tips(speaker: Speaker) -> None:
    command = "errorflow report --title '<b title=\"Not measured\">'"
    assert speaker.say(command) == command
