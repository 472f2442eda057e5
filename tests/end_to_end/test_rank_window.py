"""Which nodes matter, in a real window: the culprit is first and painted, kept in float, and all of it undone."""

from pathlib import Path

import pytest

from end_to_end.screens import Screen, wait_until
from end_to_end.simulated import CULPRIT, Case, bad, draft, error_of, session, trials, wait_for_runs
from errorflow.case.session.file import read_session
from errorflow.study.rank.model import Ranking
from errorflow.study.rank.reading import order

pytestmark = pytest.mark.window
# In the panel: the button that keeps the first ones, and the first row.
KEEP, FIRST = (644, 532), (430, 589)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case.copied(tmp_path / "case")


def ranking(screen: Screen) -> Ranking | None:
    """All that the window found out, as its draft has it."""
    found = read_session(draft(screen)).session.rankings
    return found[-1].ranking if found and found[-1].ranking.complete else None


def test_the_culprit_is_ranked_painted_kept_in_float_and_undone(screen: Screen, case: Case) -> None:
    case.begin(screen)
    by_error = bad(screen)
    screen.keys("F8")
    wait_until(lambda: ranking(screen) is not None, "a ranking")
    found = ranking(screen)
    assert found is not None and CULPRIT in found.parts[int(order(found)[0])].nodes

    screen.click(*FIRST)
    wait_until(lambda: session(screen)["node"] == CULPRIT, "the culprit, selected by its row")
    screen.keys("ctrl+shift+p")
    screen.type("Paint by impact")
    screen.keys("Return")
    wait_until(lambda: session(screen)["painting"]["ranked"] == "impact", "that the impact is painted")
    wait_until(lambda: 20 < bad(screen) < by_error / 3, "one node in the colour of the worst")

    plan = session(screen)["simulation"]["plan"]
    screen.click(*KEEP)
    wait_for_runs(screen, 2)
    before, after = trials(screen)
    assert error_of(after) < error_of(before) / 100
    assert before["verdict"].startswith("Node error")
    wait_until(lambda: not trials(screen)[1]["verdict"].startswith("Node error"), "a verdict on a model that is good")
    assert session(screen)["simulation"]["plan"] != plan

    screen.keys("ctrl+z", "ctrl+z")
    wait_until(lambda: bad(screen) > by_error / 2, "the colours of before")
    wait_until(lambda: session(screen)["simulation"]["plan"] == plan, "the plan of before")
    assert ranking(screen) is not None, "no step takes back what was found out"
