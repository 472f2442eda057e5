"""What no language may change of a report."""

from dataclasses import replace

from core.report.cases import case_of
from errorflow.report.bundle.contents import own_of


def test_notes_and_answers_are_the_users_own() -> None:
    case = replace(case_of(), note="of the session", notes={"a": "see line 3"}, form={"What is wrong": "top-1 fell"})
    assert {"of the session", "see line 3", "top-1 fell"} <= set(own_of(case))
