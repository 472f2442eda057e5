"""The page as a file: whole in itself, safe, and small."""

import json
import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from errorflow.base.errors import UsageError
from errorflow.base.sample import SAMPLES, Sample
from errorflow.case.examine import examine
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import HandPair, Session
from errorflow.compare.pairs import compare
from errorflow.explain.blame.estimate import blame
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_model, read_tensors
from errorflow.graph.build import GraphBuilder
from errorflow.quant.plan import Plan
from errorflow.report.content import Content
from errorflow.report.contents import content_of
from errorflow.report.html.data import number
from errorflow.report.html.page import html_report
from errorflow.report.html.writing import write_case
from errorflow.study.simulate.trial import Accuracy, Trial
from run_models import savez

NOW = datetime(2026, 5, 4, 12, 30)
SAMPLE = SAMPLES[0]


def _case(sample: Sample = SAMPLE, **more: object) -> Content:
    graph = read_model(sample.model).graph
    comparison = compare(read_tensors(sample.reference_run), read_tensors(sample.candidate_run))
    findings = Findings.of(graph, comparison, blame(graph, comparison))
    return Content(sample.title, graph, findings, **more)  # type: ignore[arg-type]  # fields of the dataclass


def _examined(session: Session) -> Content:
    with examine(session) as case:
        return content_of(case)


def _data(page: str) -> dict[str, list[list[object]]]:
    found = re.search(r'id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, list[list[object]]] = json.loads(found.group(1))
    return data


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_verdict_nodes_and_tensors_of_every_sample_are_on_the_page(sample: Sample) -> None:
    case = _case(sample)
    page = html_report(case, NOW)
    assert case.findings is not None and case.findings.blame is not None
    data = _data(page)
    assert [row[0] for row in data["nodes"]] == [case.graph.title(node) for node in range(len(case.graph))]
    assert len(data["tensors"]) == len(case.findings.placed.about)
    assert case.findings.blame.model.kind.capitalize() in page
    assert all(f'id="node-{node}"' in page for node in range(len(case.graph)))


def test_what_was_switched_is_marked_in_the_drawing() -> None:
    case = _case()
    plan = Plan().keeping_float(case.graph.node_names[3])
    assert ">float</text>" in html_report(replace(case, plan=plan), NOW)
    assert ">float</text>" not in html_report(replace(case, plan=Plan()), NOW)


def test_nothing_comes_from_elsewhere() -> None:
    page = html_report(_case(), NOW)
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert "Content-Security-Policy" in page and "default-src 'none'" in page
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page)


def test_what_names_and_notes_hold_stays_text() -> None:
    nasty = "</script><img src=x onerror=alert(1)>"
    case = _case(notes={nasty: nasty}, problems=(nasty,), compared=(nasty,), chapters={nasty: (nasty,)})
    page = html_report(case, NOW)
    assert nasty not in page
    assert page.count("</script>") == 2


def test_numbers_that_json_does_not_know_are_told() -> None:
    found = [number(value) for value in (float("nan"), float("inf"), float("-inf"), 0.123456789)]
    assert found == [None, "∞", "−∞", 0.12346]


def test_two_thousand_nodes_stay_below_five_megabytes(tmp_path: Path) -> None:
    builder = GraphBuilder()
    builder.input("image")
    names = ["image", *(f"/stage{layer // 50}/layer{layer}/out" for layer in range(2000))]
    for layer, (before, made) in enumerate(pairwise(names)):
        builder.node("Conv", [before], [made], f"/stage{layer // 50}/layer{layer}")
    builder.output(names[-1])
    graph, dice = builder.build(), np.random.default_rng(0)
    arrays = {name: dice.random(4).astype(np.float32) for name in names}
    other = {name: array + np.float32(0.1) for name, array in arrays.items()}
    runs = (read_tensors(savez(tmp_path / f"{run}.npz", each)) for run, each in (("r", arrays), ("c", other)))
    comparison = compare(next(runs), next(runs), workers=1)
    page = html_report(Content("large", graph, Findings.of(graph, comparison, blame(graph, comparison))), NOW)
    assert len(page.encode()) < 5e6
    assert len(_data(page)["nodes"]) == 2000 and len(_data(page)["tensors"]) == 2001


def test_a_session_of_two_runs_is_measured_again(tmp_path: Path) -> None:
    setup = Setup("runs", {"model": SAMPLE.model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run})
    text = write_case(_examined(Session(SAMPLE.model, setup)), tmp_path / "report.html")
    assert "31 nodes" in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Node error" in page and "class='card'" in page and "<svg" in page


def test_pairs_by_hand_count() -> None:
    setup = Setup("runs", {"model": SAMPLE.model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run})
    name = "/stem/conv/Conv_output_0"
    whole, parted = (_examined(Session(SAMPLE.model, setup, hand_pairs=pairs)) for pairs in ((), (HandPair(name, ""),)))
    assert whole.findings is not None and parted.findings is not None
    measured = [
        sum(bool(row.values) for row in each.findings.comparison.rows) for each in (whole, parted) if each.findings
    ]
    assert measured[1] == measured[0] - 1


def test_a_model_alone_is_shown_as_it_is(tmp_path: Path) -> None:
    model = Path(copy(SAMPLE.model, tmp_path))
    page = html_report(_examined(Session(model)), NOW)
    assert "Nothing was compared" in page and "id='tensors'" not in page


def test_a_session_without_a_model_is_refused() -> None:
    with pytest.raises(UsageError, match="holds no model"):
        _examined(Session())


def test_what_was_measured_for_real_stands_beside_the_verdict() -> None:
    counted = Accuracy("300 samples: somewhere", 300, {"top-1": 240}, {"top-1": 294})
    page = html_report(
        _case(trials=(Trial("Run 1", Plan(), accuracy=counted), Trial("Run 2", Plan())), shown="Run 1"), NOW
    )
    assert page.count("top-1 80.00% (float 98.00%), of 300 samples") == 2
    assert "somewhere" not in page
