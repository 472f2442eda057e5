"""What the cells of a ranking say."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.study.rank.model import Part, Question
from errorflow_viewer.panels.ranking.panel import progress, told
from errorflow_viewer.panels.ranking.rows import (
    NAME,
    NOTE,
    RANK,
    SHARE,
    STATE,
    TYPE,
    UNKNOWN,
    WORST,
    RankColumn,
    RankRows,
    lengths,
    share_text,
)
from rankings import ranking_of

PARTS = tuple(Part(name, "Conv + Relu", (name, f"{name}/relu"), (f"{name}:0",)) for name in "abcd")
BOTH = Question(measures=("impact", "recovery"), metrics=("relative_l2",), samples=(0, 1))


def column(rows: RankRows, title: str) -> RankColumn:
    return next(each for each in rows.columns if each.title == title)


def test_ranks_follow_the_first_metric_and_what_is_not_known_has_none() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1, 0.4, None, 0.2]), None)
    assert list(rows.columns[RANK].texts) == ["3", "1", UNKNOWN, "2"]
    assert list(rows.columns[NAME].texts) == list("abcd")
    assert set(rows.columns[TYPE].texts) == {"Conv + Relu"}


def test_values_have_the_text_of_their_metric() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1, 3.0, None, math.nan], samples=1), None)
    assert list(column(rows, "Relative error").texts) == ["0.1000", "3.0000", UNKNOWN, "NaN"]
    assert column(rows, "Relative error").tip.startswith("impact · Relative error · √Σ (c − r)² / √Σ r²")


def test_titles_name_the_measure_where_there_are_two() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1] * 4, question=BOTH), None)
    titles = [each.title for each in rows.columns]
    assert "Impact · Relative error" in titles and "Recovery · Relative error" in titles


def test_a_part_without_numbers_on_a_sample_says_so_in_its_row_and_tip() -> None:
    ranking = ranking_of(PARTS, [0.1, math.nan, 0.2, 0.3])
    rows = RankRows(ranking, None)
    note = "no number in 2 of 2 samples"
    assert list(column(rows, NOTE).texts) == ["", note, "", ""]
    assert column(rows, SHARE).texts[1] == UNKNOWN
    assert note in rows.tip(1).splitlines()


def test_there_are_no_shares_of_recoveries() -> None:
    asked = Question(measures=("recovery",), samples=(0, 1))
    rows = RankRows(ranking_of(PARTS, [0.1] * 4, question=asked), None)
    assert SHARE not in [each.title for each in rows.columns]


def test_the_worst_sample_is_named_as_people_count() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1, 0.2, None, 0.3], samples=3), None)
    assert list(column(rows, WORST).texts) == ["0.1200 (sample 3)", "0.2400 (sample 3)", UNKNOWN, "0.3600 (sample 3)"]


def test_states_say_what_is_known_and_what_is_expected() -> None:
    ranking = ranking_of(PARTS, [0.1, 0.2, None, None], samples=2, expected=[0.5, 0.3, 0.1234, math.nan])
    ranking.done["impact"][1, 1] = False
    assert list(column(RankRows(ranking, None), STATE).texts) == [
        "measured",
        "1 of 2 samples",
        "expected 12.3 %",
        "waits",
    ]


def test_notes_are_shown_and_in_the_tooltip() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1, None, 0.1, 0.1], notes={"b": "it is no number"}), None)
    assert rows.columns[-1].texts[1] == "it is no number"
    assert "it is no number" in rows.tip(1)
    assert "Nodes: a, a/relu" in rows.tip(0) and "impact · SQNR" in rows.tip(0)


def test_a_search_finds_names_types_and_inner_nodes() -> None:
    rows = RankRows(ranking_of(PARTS, [0.1] * 4), None)
    assert rows.search("b/relu").tolist() == [False, True, False, False]
    assert rows.search("conv").all() and not rows.search("gemm").any()


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_bars_grow_with_badness(metric: object) -> None:
    key = metric.key  # type: ignore[attr-defined]  # a row of METRICS
    row = next(each for each in METRICS if each.key == key)
    steps = np.linspace(row.good, row.bad, 5)
    found = lengths(row, steps)
    assert (np.diff(found) > 0).all() and found[-1] == pytest.approx(1.0)


def test_what_is_no_number_has_a_whole_bar_and_exact_values_none() -> None:
    sqnr = next(metric for metric in METRICS if metric.key == "sqnr")
    assert lengths(sqnr, np.array([math.nan, math.inf, 6.0])).tolist() == pytest.approx([1.0, 0.0, 1.0])


def test_small_shares_are_not_told_as_nothing() -> None:
    assert [share_text(share) for share in (0.0, 0.0004, 0.25, math.nan)] == ["0.0 %", "< 0.1 %", "25.0 %", UNKNOWN]


def test_progress_is_told_by_parts_and_then_by_samples() -> None:
    assert progress(ranking_of(PARTS, [0.1, None, None, None])).startswith("1 of 4 are measured")
    ranking = ranking_of(PARTS, [0.1] * 4, samples=2)
    ranking.done["impact"][:, 1] = False
    assert progress(ranking) == "All 4 are measured; more samples follow (50 % done)."


def test_it_is_told_where_single_parts_do_not_add_up() -> None:
    quiet = ranking_of(PARTS, [0.25] * 4, samples=1)  # Σ 100 · 0.25² is the whole, 25
    assert told(quiet, waits=False, busy=False, simulated=True, is_of_plan=True) == ""
    loud = ranking_of(PARTS, [0.05] * 4, samples=1)
    assert "they work together" in told(loud, waits=False, busy=False, simulated=True, is_of_plan=True)


def test_an_older_ranking_says_so_and_a_whole_one_nothing() -> None:
    ranking = ranking_of(PARTS, [0.1] * 4)
    ready = partial(told, waits=False, busy=False, simulated=True)
    assert "plan before" not in ready(ranking, is_of_plan=True)
    assert "plan before" in ready(ranking, is_of_plan=False)
    assert "found out before" in told(ranking, waits=False, busy=False, simulated=False, is_of_plan=False)
    assert told(None, waits=True, busy=False, simulated=False, is_of_plan=False).startswith("The ranking begins")


def test_a_tip_says_between_which_places_a_part_is_and_whom_it_swaps_with() -> None:
    ranking = ranking_of(PARTS, [0.9, 0.3, 0.3, 0.1], samples=4)
    powers = ranking.powers.copy()
    powers[1:3, 0] = [[4.0, 1.0, 4.0, 1.0], [1.0, 3.5, 1.0, 3.5]]
    values = {"impact": np.concatenate([np.sqrt(powers / 100)[np.newaxis], ranking.values["impact"][1:]])}
    rows = RankRows(replace(ranking, powers=powers, values=values), None)  # type: ignore[arg-type]  # the one measure
    assert "Place 1 to 1 in other draws of the samples" in rows.tip(0).splitlines()
    assert "Place 2 to 3 in other draws of the samples: b or c" in rows.tip(1).splitlines()


def test_a_tip_says_that_one_sample_tells_nothing_of_that() -> None:
    rows = RankRows(ranking_of(PARTS, [0.9, 0.3, None, 0.1], samples=1), None)
    assert "Measured on one sample: how sure its place is cannot be told" in rows.tip(0)
    assert "sure" not in rows.tip(2)


def test_it_says_that_the_first_are_decided() -> None:
    ranking = ranking_of(PARTS, [0.9, 0.5, 0.2, 0.01], samples=3)
    done = np.ones((4, 3), bool)
    done[3, 2] = False
    next_to_nothing = np.array([1.0, 1.0, 1e-8])
    found = replace(
        ranking,
        done={"impact": done},
        powers=ranking.powers * next_to_nothing,
        whole_powers=ranking.whole_powers * next_to_nothing,
    )
    assert progress(found) == "The order of the first 4 is decided; the rest follows (92 % done)."
