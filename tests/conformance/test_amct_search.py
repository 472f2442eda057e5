"""AMCT's automatic calibration: its binary search step by step, its sensitivities, and its files byte by byte."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorflow.compare.metrics.sums import sums
from errorflow.compare.results import read_results
from errorflow.study.rank.model import Question
from errorflow.study.search.model import NOTHING, Tried
from errorflow.study.search.named_ranking import read_ranking
from errorflow.study.search.ranks import sensitivity_of
from errorflow.study.search.space import Space
from errorflow.study.search.steps import SearchKnowledge
from errorflow.study.search.strategies import strategy
from errorflow.vendors.ascend.searches import history_text, quantized, ranking_text
from search_benches import chain

DATA = Path(__file__).parents[3] / "shared" / "data"
AMCT, VENDOR = DATA / "ascend" / "amct", DATA / "vendors" / "amct"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def loaded(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else []


TRACES = loaded(AMCT / "binary_search_traces.json")


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Space]]:
    """By number of layers, in their order, as a ranking has them."""
    found: dict[int, Space] = {}
    with ExitStack() as stack:
        for count in sorted({trace["N"] for trace in TRACES}):
            bench = stack.enter_context(chain(count, tmp_path_factory.mktemp("chain")))
            found[count] = Space(bench.engine, bench.plan, Question("node"), "float")
        yield found


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: f"{trace['K_needed']} of {trace['N']}")
def test_the_binary_search_takes_every_step_as_amct_does(trace: dict[str, Any], spaces: dict[int, Space]) -> None:
    space, needed = spaces[trace["N"]], trace["K_needed"]
    assert [part.name for part in space.parts] == [f"layer{n}" for n in range(trace["N"])]
    whole = Tried(0, NOTHING, 0.0, needed == 0, 1.0)
    steps = [whole]
    if not whole.good:
        running = strategy("binary").run(space, SearchKnowledge(whole, 0.5))
        asked = next(running, None)
        while asked is not None:
            (one,) = asked
            steps.append(Tried(len(steps), one.choice, 0.0, len(one.choice) >= needed, 0.0))
            try:
                asked = running.send([steps[-1]])
            except StopIteration:
                break
    found = [{"roll_back_config": quantized(space.parts, space.parts, step), "ok": step.good} for step in steps]
    wanted = [{key: step[key] for key in ("roll_back_config", "ok")} for step in trace["trace"]]
    assert found == wanted
    assert len(steps) - 1 == trace["steps"]
    assert [space.parts[part].name for part in steps[-1].choice.parts] == trace["final_unquantised"]


@pytest.mark.parametrize("name, case", loaded(AMCT / "sensitivity.json").items() if AMCT.is_dir() else [])
def test_sensitivities_are_amcts(name: str, case: dict[str, Any]) -> None:
    found = sums(*(np.array(case[key], np.float32) for key in ("original", "fake_quant")))
    sensitivity = sensitivity_of(float(found.rr), float(found.cc), float(found.rc))
    assert sensitivity == pytest.approx(case["sensitivity"], rel=1e-12, abs=1e-15), name


RANKING = VENDOR / "SYNTHETIC_accuracy_based_auto_calibration_ranking_information.json"
HISTORY = VENDOR / "SYNTHETIC_accuracy_based_auto_calibration_record.json"


def test_a_ranking_is_written_as_amct_lays_it_out() -> None:
    assert ranking_text(read_ranking(RANKING)) == RANKING.read_text("utf-8").rstrip("\n")


def test_a_history_is_written_object_behind_object_as_amct_lays_it_out() -> None:
    text, at, records = HISTORY.read_text("utf-8"), 0, []
    while at < len(text.rstrip()):
        entry, at = json.JSONDecoder().raw_decode(text, at)
        records.append((entry["roll_back_config"], *entry["metric_eval"]))
    assert len(records) == 4
    assert history_text(records) == text.rstrip("\n")


def test_the_history_is_read_back_as_trials(tmp_path: Path) -> None:
    path = tmp_path / "accuracy_based_auto_calibration_record.json"
    path.write_text(history_text([({"a": True, "b": True}, False, 0.2), ({"a": False, "b": True}, True, 0.0)]), "utf-8")
    (table,) = read_results(path)
    assert [row.extra["left in float"] for row in table.rows] == ["", "a"]
