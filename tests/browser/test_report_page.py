"""A report in a real browser, from a file: search, click, sort, themes and print."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.chromium import Browser, chromium
from errorflow.base.sample import SAMPLES
from errorflow.case.examine import examine
from errorflow.case.session.model import Session, Simulation
from errorflow.quant.presets import preset
from errorflow.report.contents import content_of
from errorflow.report.html.writing import write_case
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis

# One at a time, as windows are: a browser takes what there is.
pytestmark = pytest.mark.window
SAMPLE = SAMPLES[0]
CULPRIT = "/block2/project/conv/Conv"
FIRST_ROW = "#nodes tbody tr td"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    basis = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=12)
    session = Session(SAMPLE.model, simulation=Simulation(basis, preset("onnxruntime").plan))
    path = tmp_path_factory.mktemp("report") / "report.html"
    with examine(session) as case:
        write_case(content_of(case), path)
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Browser]:
    """Freshly opened; whatever it complains of fails the test."""
    browser.open(report)
    assert browser.run("return document.documentElement.dataset.ready") == "yes"
    yield browser
    assert browser.complaints() == []


def test_a_search_counts_marks_and_goes_to_what_it_finds(page: Browser) -> None:
    page.type("#search", "block2 conv")
    count = page.text("#count")
    marked = page.run("return document.querySelectorAll('#view .hit').length")
    assert count == f"{marked} nodes" and marked > 2
    before = page.run("return document.querySelector('#view svg').getAttribute('viewBox')")
    page.type("#search", "\ue007")
    assert page.text("#count") == f"1 of {marked}"
    assert page.run("return document.querySelector('#view svg').getAttribute('viewBox')") != before
    assert "block2" in page.text("#side h3")


def test_a_click_on_a_node_shows_what_is_known_of_it(page: Browser) -> None:
    number = page.run(
        "const data = JSON.parse(document.getElementById('data').textContent);"
        "return data.nodes.findIndex((row) => row[0] === arguments[0])",
        CULPRIT,
    )
    page.click(f"#node-{number} text")
    assert page.text("#side h3") == CULPRIT
    assert "origin (exact)" in page.text("#side")
    assert "Relative error" in page.text("#side")
    assert page.run("return document.querySelectorAll('#view .chosen').length") == 1
    assert page.text("#nodes tr.chosen td") == CULPRIT


def test_titles_of_columns_sort_and_a_row_leads_to_its_node(page: Browser) -> None:
    page.click("#nodes th:nth-child(7) button")
    worst = [float(text) for text in page.texts("#nodes tbody td:nth-child(7)") if text]
    assert len(worst) > 10 and worst == sorted(worst, reverse=True)
    page.click("#nodes th:nth-child(1) button")
    names = page.texts(FIRST_ROW + ":first-child")
    assert names == sorted(names, key=str.lower)
    page.type("#nodes input", "softmax")
    assert page.texts(FIRST_ROW + ":first-child") == ["/head/Softmax"]
    page.click("#nodes tbody .go")
    assert page.text("#side h3") == "/head/Softmax"


def test_the_wheel_and_the_keys_zoom(page: Browser) -> None:
    width = "return Number(document.querySelector('#view svg').getAttribute('viewBox').split(' ')[2])"
    whole = page.run(width)
    page.click("#in")
    assert page.run(width) < whole
    page.click("#fit")
    assert page.run(width) == whole
    page.run(
        "const view = document.getElementById('view'), at = view.getBoundingClientRect();"
        "const turn = {deltaY: -300, clientX: at.x + 100, clientY: at.y + 100, cancelable: true};"
        "view.dispatchEvent(new WheelEvent('wheel', turn));"
    )
    assert page.run(width) < whole


def test_both_themes_have_colours_of_their_own(page: Browser) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    page.run("const box = document.getElementById('theme'); box.value = 'dark'; box.onchange()")
    dark = page.run(ground)
    page.run("const box = document.getElementById('theme'); box.value = 'light'; box.onchange()")
    assert page.run(ground) != dark


def test_it_prints(page: Browser) -> None:
    pdf = base64.b64decode(page.printed())
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000


def test_the_table_of_nodes_begins_with_who_is_to_blame(page: Browser) -> None:
    heads = page.run("return [...document.querySelectorAll('#nodes th')].map((cell) => cell.textContent)")
    place = heads.index("Share of blame ↓")
    assert heads[place - 1 : place + 2] == ["Accumulated", "Share of blame ↓", "Introduced"]
    shown = page.run("return [...document.querySelectorAll('#nodes tbody tr')].map((row) => row.cells[0].textContent)")
    cells = page.run("return [...document.querySelector('#nodes tbody tr').cells].map((cell) => cell.textContent)")
    assert cells[0] == CULPRIT and cells[place] == "100 %"
    rows = page.run("return JSON.parse(document.getElementById('data').textContent).nodes")
    by_share = sorted(rows, key=lambda row: (-(row[6] or 0), -(row[5] or 0)))
    assert shown[:10] == [row[0] for row in by_share[:10]]
