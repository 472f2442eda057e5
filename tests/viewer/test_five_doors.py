"""Whatever door one comes through, the answer is the same: verdict, first shares, stages, rows."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from errorflow.report.account.making import account_of
from errorflow.report.contents import content_with
from errorflow_viewer.document.case_on_view import case_of
from errorflow_viewer.window.window import MainWindow
from five_doors import DOORS, SCENARIOS, Told, examined, of_case
from needed import needing
from planted_by_command import said
from planted_scenarios import ROWS

pytestmark = [
    # A comparison of each scenario by each door takes a while.
    pytest.mark.timeout(600),
    needing("pdftotext"),
]


@pytest.fixture
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found: Path = SCENARIOS[request.param](tmp_path)
    return found


def differing(door: Told, wanted: Told) -> list[str]:
    """What a door says otherwise; what it does not show is no difference."""
    names = [each.name for each in fields(Told) if each.name != "page" and getattr(door, each.name) is not None]
    return [
        f"{name}: {getattr(door, name)} is not {getattr(wanted, name)}"
        for name in names
        if getattr(door, name) != getattr(wanted, name)
    ]


def left_out(page: str | None, wanted: Told) -> list[str]:
    """Sentences that a page does not have."""
    if page is None:
        return []
    _, _, sentence = str(wanted.verdict).partition(": ")
    sentences = [sentence if sentence else str(wanted.verdict), str(wanted.stages)]
    return [text for text in sentences if "".join(text.split()).lower() not in page]


def some_doors(scenario: str) -> tuple[str, ...]:
    """All where the case itself is of another kind; each vendor's comparison by two, so that each door has several."""
    if scenario not in ROWS:
        return tuple(DOORS)
    number, doors = list(SCENARIOS).index(scenario), list(DOORS)
    return (doors[number % len(doors)], doors[(number + len(doors) // 2) % len(doors)])


CASES = [
    *((scenario, some_doors(scenario)) for scenario in SCENARIOS),
    *(pytest.param(name, tuple(DOORS), marks=pytest.mark.slow) for name in SCENARIOS if name in ROWS),
]


@pytest.mark.parametrize(("session", "doors"), CASES, indirect=["session"], ids=str)
def test_every_door_gives_the_same_answer(
    session: Path, doors: tuple[str, ...], tmp_path: Path, window: MainWindow, qtbot: QtBot
) -> None:
    wanted = examined(session, tmp_path)
    assert wanted.verdict and wanted.rows

    place = tmp_path / "doors"
    place.mkdir()
    wrong = {}
    for name in doors:
        told = DOORS[name](session, place)
        wrong[name] = [*differing(told, wanted), *left_out(told.page, wanted)]
    wrong["window"] = differing(on_view(window, qtbot, session), wanted)

    assert not {name: each for name, each in wrong.items() if each}


def on_view(window: MainWindow, qtbot: QtBot, session: Path) -> Told:
    window.open(session)

    def is_whole() -> bool:
        state = window.document.state
        if state.findings is None or state.case is None or not state.case.complete or window.jobs.steps:
            return False
        return state.findings.blame is not None and state.findings.blame is state.case.blame

    qtbot.waitUntil(is_whole, timeout=120_000)
    case = case_of(window.document.state)
    findings, blame = window.document.state.findings, case.blame
    assert findings is not None and blame is not None and findings.blame is not None
    assert findings.blame.blame_shares.tolist() == pytest.approx(blame.blame_shares.tolist(), nan_ok=True)
    assert account_of(content_with(case)).sentence
    return of_case(case)


@pytest.mark.parametrize("row", [name for name, row in ROWS.items() if row.guide])
def test_the_guide_judges_by_the_same_verdict(row: str, tmp_path: Path) -> None:
    session = SCENARIOS[row](tmp_path)
    wanted = examined(session, tmp_path)
    # The folder that `compare` wrote is a door of its own.
    found = [judged(row, path, tmp_path) for path in (session, tmp_path / "first")]
    for each in found:
        texts = [str(check["text"]) for check in each["checks"]]
        assert any(str(wanted.verdict).partition(": ")[2] in text for text in texts), texts
    assert found[0]["outcome"] == found[1]["outcome"] != ""
    states, same = ([check["state"] for check in each["checks"]] for each in found)
    assert states == same


def judged(row: str, path: Path, place: Path) -> dict[str, Any]:
    words = ["guide", ROWS[row].guide, "--step", str(ROWS[row].step), "--check", str(path), "--json"]
    found: dict[str, Any] = json.loads(said(words, place)[1])
    return found
