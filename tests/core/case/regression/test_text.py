"""What became of the verdict, in the words of the verdict itself."""

import math
from dataclasses import replace

from blame_cases import chain
from errorflow.case.regression.lines import verdict_change_text
from errorflow.explain.blame.estimate import blame


def test_who_it_may_be_is_said_as_the_verdict_says_it() -> None:
    now, before = blame(*chain(0, 0.01, math.nan, math.nan, math.nan, 0.5)), blame(*chain(0, 0.01, 0.5, 0.5, 0.5, 0.5))

    assert verdict_change_text(now, before) == "Verdict: node error at n1 → node error at a node between n1 and n4"
    assert now.model.text.partition(": ")[2].startswith(f"{now.model.named} is where")
    assert verdict_change_text(replace(now, model=replace(now.model, named="")), before) == ""
