"""The verdict in one row above the graph."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.base.language import say
from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare.match.model import Match
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.explain.blame.model import Contribution
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.commands.verdict_bar import ROOMY, Sentence, VerdictBar, fitted, in_two_lines, lines
from errorflow_viewer.document.comparing import KEY
from errorflow_viewer.document.verdict_words import TABLE, Headline, Piece
from errorflow_viewer.kit.style import font
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.verdicts import LONG, judged, node_error, show


def bar_of(window: MainWindow) -> VerdictBar:
    (bar,) = window.findChildren(VerdictBar)
    return bar


FOUND = node_error()


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    return lambda window, qtbot: show(window.document, FOUND)


@pytest.fixture
def bar(lent_window: MainWindow) -> VerdictBar:
    findings = lent_window.document.state.findings
    if findings is None or findings.blame is not FOUND.blame:
        show(lent_window.document, FOUND)
    return bar_of(lent_window)


def test_it_is_not_there_while_nothing_is_compared(window: MainWindow) -> None:
    bar = bar_of(window)
    assert bar.isHidden()
    show(window.document, node_error())
    assert bar.isVisible()
    window.document.take_case(None)
    assert bar.isHidden()


def test_it_is_not_there_where_the_graph_is_not(bar: VerdictBar, window: MainWindow) -> None:
    window.compare()
    assert bar.isHidden()
    window.leave_page()
    assert bar.isVisible()


def test_a_name_leads_to_its_node_and_points_at_it(bar: VerdictBar, window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.document.pointed) as pointed:
        bar.sentence.linkHovered.emit("node:1")
    assert pointed.args == [1]
    bar.sentence.linkActivated.emit("node:1")
    assert window.document.state.node == 1
    tensor = bar.shown.links["t5"] if bar.shown else ""
    bar.sentence.linkActivated.emit(tensor)
    assert window.document.state.tensor is not None


def test_the_keyboard_reaches_the_names_and_what_to_do(bar: VerdictBar, window: MainWindow) -> None:
    bar.sentence.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(bar.sentence, Qt.Key.Key_Tab)
    QTest.keyClick(bar.sentence, Qt.Key.Key_Return)
    assert window.document.state.node == 1 or window.document.state.tensor is not None
    assert bar.more.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_what_to_do_shows_the_panel(bar: VerdictBar, window: MainWindow) -> None:
    window.panels.hide("verdict")
    bar.more.click()
    assert window.panels.is_shown("verdict")


def test_screen_readers_are_told_all_of_it(bar: VerdictBar) -> None:
    assert bar.accessibleName() == "Verdict: Node error: relu1 brings 98 % of the error at t5. estimated"
    assert bar.sentence.accessibleName() in bar.accessibleName()


@pytest.mark.parametrize(("entry", "words"), [(0, "98 % of the error at t5.\n"), (1, "What to do:\n")])
def test_its_menu_copies_it(bar: VerdictBar, entry: int, words: str) -> None:
    QGuiApplication.clipboard().clear()
    menu = bar.menu()
    menu.actions()[entry].trigger()
    assert words in QGuiApplication.clipboard().text() + "\n"
    menu.deleteLater()


def test_a_comparison_that_is_stopped_says_so(window: MainWindow, qtbot: QtBot) -> None:
    import threading

    end = threading.Event()
    show(window.document, node_error())
    window.jobs.start(KEY, "Comparing", lambda _: end.wait(20), lambda _: None, lambda _: None)
    rows = (Row("a", None, None, {"cosine": 1.0}), Row("b", None, None, note=PENDING))
    window.document.take_case(case_with(Comparison(rows), Match(()), complete=False))
    bar = bar_of(window)
    assert bar.shown is not None and bar.shown.text == "Measuring: 1 of 2 tensors…"
    assert bar.more.isHidden() and bar.sentence.property("muted")
    window.jobs.cancel(KEY)
    assert bar.shown.text == "Not all is measured: 1 of 2 tensors."
    end.set()


def test_a_table_of_another_tool_has_no_verdict(window: MainWindow) -> None:
    found = node_error()
    show(window.document, found)
    window.document.take_case(case_with(found.comparison))
    bar = bar_of(window)
    assert bar.shown is not None and bar.shown.text == TABLE and bar.shown.sign == "nothing"


@pytest.mark.parametrize("width", [1280, 800])
def test_long_names_lose_their_middle_and_the_rest_stays(window: MainWindow, width: int) -> None:
    builder = GraphBuilder("long")
    builder.input("x")
    builder.node("Conv", ["x"], [f"{LONG}/out"], name=LONG)
    builder.output(f"{LONG}/out")
    found = Findings.of(builder.build(), Comparison(()))
    pieces = (
        Piece("Node error: "),
        Piece(LONG, "node:0"),
        Piece(" brings 98 % of the error at "),
        Piece(f"{LONG}/out", "tensor:1"),
        Piece("."),
    )
    window.document.open(Model(Path("/long.onnx"), "ONNX model", found.graph))
    metrics = QFontMetrics(font())
    texts = fitted(pieces, width // 2, metrics)
    assert sum(map(metrics.horizontalAdvance, texts)) <= width // 2
    assert texts[2] == pieces[2].text and texts[4] == "."
    assert "…" in texts[1] and texts[1].startswith("/back") and texts[1].endswith("conv")


def test_in_very_little_room_the_sentence_loses_its_end() -> None:
    metrics = QFontMetrics(font())
    pieces = (Piece("Node error: "), Piece(LONG, "node:0"), Piece(" brings all of it."))
    texts = fitted(pieces, 200, metrics)
    assert sum(map(metrics.horizontalAdvance, texts)) <= 200 and texts[-1].endswith("…")


@pytest.mark.parametrize("room", range(0, 640, 16))
def test_a_cut_is_always_marked(room: int) -> None:
    metrics = QFontMetrics(font())
    pieces = [Piece("Several nodes bring it, most of it ")]
    for number in range(3):
        pieces += [Piece(f"/block{number}/depthwise/conv/Conv", f"node:{number}"), Piece(" 20 %, ")]
    texts = fitted(pieces, room, metrics)
    assert sum(map(metrics.horizontalAdvance, texts)) <= room
    assert len(texts) == len(pieces) or room < 20 or texts[-1].endswith("…")


@pytest.mark.parametrize(
    ("room", "name"), [(400, "/block2/project/conv/Conv"), (235, "/block2/project/…/Conv"), (218, "/block2/pro…/Conv")]
)
def test_of_a_name_that_is_too_long_the_longest_form_that_fits_is_shown(room: int, name: str) -> None:
    metrics = QFontMetrics(font())
    forms = {"node:1": ("/block2/project/conv/Conv", "/block2/project/…/Conv", "/block2/pro…/Conv")}
    texts = fitted(
        (Piece("Node error: "), Piece(forms["node:1"][0], "node:1"), Piece(" did it.")), room, metrics, forms
    )
    assert texts[1] == name


@pytest.mark.parametrize("room", range(80, 480, 16))
def test_in_two_lines_it_says_more_and_takes_no_third(room: int) -> None:
    metrics = QFontMetrics(font())
    pieces = (
        Piece("Node error: "),
        Piece(LONG, "node:0"),
        Piece(" brings 100 % of the error at "),
        Piece("t", "tensor:1"),
    )
    one, two = ("".join(fit(pieces, room, metrics)) for fit in (fitted, in_two_lines))
    assert lines(two, room, metrics) <= 2 and len(two) >= len(one)
    assert len(two) > len(one) or room < 160
    told = in_two_lines((Piece("节点误差：这个节点带来了百分之九十八的误差，" * 6),), room, metrics)
    assert lines("".join(told), room, metrics) <= 2


def test_two_lines_are_taken_where_there_is_height(qtbot: QtBot) -> None:
    sentence = Sentence()
    qtbot.addWidget(sentence)
    text = say("Node error: {} brings 100 % of the error.", "/block2/conv")
    sentence.show_text(Headline("node", text, {"/block2/conv": "node:0"}))
    sentence.show()
    for width, height, wraps in ((200, 80, True), (200, 20, False), (900, 80, False)):
        sentence.resize(width, height)
        assert sentence.wordWrap() == wraps
        assert ("100 % of the error." in sentence.text().replace("&nbsp;", " ")) == (height == 80)


def test_two_lines_are_never_cut_off(qtbot: QtBot) -> None:
    sentence = Sentence()
    qtbot.addWidget(sentence)
    sentence.show_text(Headline("node", "节点误差：这个节点带来了百分之九十八的误差，" * 3))
    sentence.show()
    for height in range(2 * sentence.fontMetrics().lineSpacing(), 60):
        sentence.resize(300, height)
        assert not sentence.wordWrap() or sentence.heightForWidth(300) <= height


def test_what_the_sentence_ends_with_is_cut_before_a_name_is() -> None:
    metrics = QFontMetrics(font())
    pieces = (
        Piece("Node error: "),
        Piece("/head/fc/Gemm", "node:0"),
        Piece(". 1 of 2 outputs is bad, this is the worst."),
    )
    texts = fitted(pieces, 220, metrics)
    assert sum(map(metrics.horizontalAdvance, texts)) <= 220
    assert texts[1] == "/head/fc/Gemm" and texts[2].startswith(". ") and texts[2].endswith("…")


@pytest.mark.parametrize(
    ("room", "end"),
    [
        (600, ". 2.5 nodes come between, all fine. 1 of 2 outputs is bad."),
        (340, ". 2.5 nodes come between, …"),
        (210, ". …"),
    ],
)
def test_whole_clauses_are_left_out(room: int, end: str) -> None:
    metrics = QFontMetrics(font())
    last = ". 2.5 nodes come between, all fine. 1 of 2 outputs is bad."
    texts = fitted((Piece("Node error: "), Piece("/head/fc/Gemm", "node:0"), Piece(last)), room, metrics)
    assert texts == ["Node error: ", "/head/fc/Gemm", end]


def test_more_than_the_title_of_the_verdict_is_left() -> None:
    metrics = QFontMetrics(font())
    pieces = (Piece("Node error: the quantization of its input brings 67 % of the error at "), Piece("y", "tensor:1"))
    texts = fitted(pieces, 220, metrics)
    assert texts[0].startswith("Node error: the quantization") and texts[0].endswith(" …")


def test_a_name_is_no_markup(window: MainWindow) -> None:
    found = judged("node error", "Node error: <b>x</b> & co bring it.", (Contribution(1, 1.0),))
    show(window.document, found)
    assert "&lt;b&gt;" in bar_of(window).sentence.text()


def test_in_the_dark_the_sign_has_another_colour(bar: VerdictBar, window: MainWindow) -> None:
    light = bar.sign.pixmap().toImage()
    window.set_theme("dark")
    assert bar.sign.pixmap().toImage() != light
    assert window.appearance.theme.link in bar.sentence.text()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_a_sample_is_judged_as_it_was_planted(sample: Sample, window: MainWindow, qtbot: QtBot) -> None:
    window.open(sample.model)
    bar = bar_of(window)
    qtbot.waitUntil(
        lambda: bar.shown is not None and not bar.shown.waits and not window.jobs.running(KEY), timeout=30_000
    )
    assert bar.shown is not None and window.document.state.case is not None
    blame = window.document.state.case.blame
    assert blame is not None
    truth = sample.truth()
    assert blame.model.kind in truth.verdicts.values()
    if blame.model.kind == "node error":
        assert bar.shown.text.startswith("Node error: ") and bar.shown.method == "exact"
        graph, named = blame.graph, set(bar.shown.links)
        # Of a tensor with too coarse a scale its maker is named.
        makers = {
            graph.node(int(graph.producers[graph.tensor_names.index(name)])).title for name in truth.restoring_tensors
        }
        assert named & ({*truth.culprits} | makers)
    assert any(row.notice.key == "content" for row in window.banners.rows)


def test_it_is_as_high_as_one_row(bar: VerdictBar) -> None:
    assert bar.height() == 32


def test_in_little_room_the_sentence_counts(bar: VerdictBar) -> None:
    for width, shown in ((ROOMY, True), (ROOMY - 1, False)):
        bar.resize(width, 32)
        assert bar.method.isVisible() is shown
        assert not bar.more.isHidden()


def test_clauses_of_chinese_are_left_out_as_well() -> None:
    pieces = (Piece("节点误差："), Piece("/head/fc", "node:0"), Piece(" 引起误差的 100 %。六个答案全部相同，很好。"))
    metrics = QFontMetrics(font())
    room = sum(metrics.horizontalAdvance(text) for text in ("节点误差：", "/head/fc", " 引起误差的 100 %。 …")) + 2
    assert fitted(pieces, room, metrics)[-1] == " 引起误差的 100 %。 …"
