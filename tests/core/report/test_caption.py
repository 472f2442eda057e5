"""What pictures that go out say of themselves."""

from datetime import datetime

import pytest

from errorflow import __version__
from errorflow.draw.text import width, wrapped
from errorflow.report.caption import CaptionFacts, caption, made_as_asked
from errorflow.report.frame import Frame
from errorflow.report.request import Request

NOW = datetime(2030, 2, 3, 4, 5)


def test_the_foot_has_date_and_versions() -> None:
    found = caption(CaptionFacts(facts={"ONNX Runtime": "9.8"}), NOW)

    assert found.end == f"2030-02-03 04:05 · Errorflow {__version__} · ONNX Runtime 9.8"


def test_what_was_asked_for_is_named_with_its_folder() -> None:
    [line] = made_as_asked(Request("m.onnx", "m.svg", candidate="a/npu", reference="b/golden")).compared

    assert line == "candidate: a/npu · reference: b/golden"


@pytest.mark.parametrize("text", ["word " * 60, "x" * 900, "名前" * 100, "short", ""])
def test_long_lines_are_broken_and_lose_nothing_before_the_last(text: str) -> None:
    lines = wrapped(text, 12, 300, 4)

    assert len(lines) <= 4
    assert all(width(line, 12) <= 300 for line in lines)
    assert "".join(lines).replace(" ", "").rstrip("…") in text.replace(" ", "")


def test_a_page_is_as_large_as_its_texts() -> None:
    bare = Frame.of((200, 100), "net", "a note")
    full = Frame.of((200, 100), "net", "a note", told=["what was compared " * 10], end="today · Errorflow")

    assert full.height > bare.height
    assert full.top == bare.top + 18 * len(full.told)
    assert all(width(text, 12) + 48 <= full.width for text in full.told)
    assert [text for _, text in full.lines_of_foot()] == ["today · Errorflow"]
    assert all(full.top + 100 < base < full.height for base, _ in full.lines_of_foot())
