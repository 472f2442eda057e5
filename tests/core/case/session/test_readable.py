"""Sessions that are none stand in the way of nothing that lies beside them."""

from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow.case.session.readable import looked_through


@pytest.mark.parametrize("text", ["", "{", '{"version": 99}'])
def test_a_session_that_cannot_be_read_is_a_problem(text: str, tmp_path: Path) -> None:
    (tmp_path / "broken.errorflow").write_text(text)
    write_session(Session(model=SAMPLES[0].model), tmp_path / "case.errorflow")

    found = looked_through([tmp_path])

    assert [each.path.name for each in found.found] == ["case.errorflow"]
    (problem,) = found.problems
    assert problem.startswith("broken.errorflow ")
