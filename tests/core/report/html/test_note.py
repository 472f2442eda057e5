"""The note on a session, on the page of its report."""

from datetime import datetime

from errorflow.graph.build import GraphBuilder
from errorflow.report.content import Content
from errorflow.report.html.page import html_report


def page(note: str) -> str:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Relu", ["x"], ["y"], name="act")
    builder.output("y")
    return html_report(Content("case", builder.build(), note=note), datetime(2026, 5, 4))


def test_it_stands_above_all_that_was_found_line_by_line() -> None:
    found = page("Build <412>\n\nasked the vendor")
    lines = "<p class='wrap'>Build &lt;412&gt;</p><p class='wrap'>asked the vendor</p>"
    assert found.index(lines) < found.index("<main>")


def test_without_one_there_is_no_room_for_it() -> None:
    assert "aria-label='Note'" not in page(" \n ")
