"""Numbers that no float holds, in files that were given or kept, and in those that are written."""

import json
import math
from pathlib import Path

import pytest

from errorflow.base.errors import FileError, WrongFileError
from errorflow.study.evaluate.evaluator import Answer
from errorflow.study.evaluate.model import Judgement
from errorflow.study.search.journal import SearchJournal
from errorflow.study.search.named_ranking import read_ranking
from errorflow.vendors.ascend.searches import history_text

HUGE = "1" + "0" * 400


@pytest.mark.parametrize("text", [f'[["a", {HUGE}]]', f'{{"a": {HUGE}}}'])
def test_a_ranking_of_what_is_no_number_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ranking.json"
    path.write_text(text, "utf-8")
    with pytest.raises(WrongFileError, match="is no ranking"):
        read_ranking(path)


def test_a_journal_with_what_is_no_number_is_told(tmp_path: Path) -> None:
    with SearchJournal(tmp_path, "mark", resume=False) as journal:
        journal.add("key", Answer(0.5, Judgement(True, 0.0)))
    text = journal.path.read_text("utf-8")
    journal.path.write_text(text.replace("[0.5,", f"[{HUGE},"), "utf-8")
    with pytest.raises(FileError, match="cannot be read"):
        SearchJournal(tmp_path, "mark", resume=True)


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_the_history_for_amct_is_json_whatever_was_lost(loss: float) -> None:
    def refused(name: str) -> float:
        raise AssertionError(name)

    found = json.loads(history_text([({"a": True}, False, loss)]), parse_constant=refused)
    assert found["metric_eval"][0] is False
