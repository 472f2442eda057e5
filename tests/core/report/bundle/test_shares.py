"""A node has one share of the blame, whichever door one asks at."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from core.report.bundle.conftest import NOW
from errorflow.base.errors import FormatError
from errorflow.base.sample import SAMPLES
from errorflow.case.examine import examine
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.explain.findings.columns import COLUMNS, Sheet
from errorflow.explain.findings.fields import FIELD_OF, NodeKnowledge
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.texts import Texts
from errorflow.report.blame import blame_data, blamed_csv
from errorflow.report.bundle.draft import BundleDraft, draft_of
from errorflow.report.bundle.found_file import found_of
from errorflow.report.bundle.model import Bundle, BundleChoice
from errorflow.report.bundle.opening import open_bundle
from errorflow.report.bundle.writing import write_bundle
from errorflow.report.contents import content_of
from errorflow.report.html.data import page_data
from errorflow.report.session_files import tables_of


@dataclass(frozen=True)
class Told:
    draft: BundleDraft
    bundle: Bundle

    @property
    def findings(self) -> Findings:
        assert self.draft.case.findings is not None
        return self.draft.case.findings


@pytest.fixture(scope="module", params=["node_fault", "drift"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Told:
    sample = next(sample for sample in SAMPLES if sample.key == request.param)
    files = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
    folder = tmp_path_factory.mktemp(sample.key)
    with examine(Session(sample.model, Setup("runs", files))) as case:
        draft = draft_of(case, NOW)
        path = write_bundle(draft, BundleChoice(), folder / "case.zip").path
        return Told(draft, open_bundle(path, folder / "unpacked"))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def numbers(text: str) -> list[float]:
    return [float(row["share"]) if row["share"] else np.nan for row in rows(text)]


def column(told: Told) -> list[float]:
    sheet = Sheet(told.findings, "relative_l2", {})
    found = next(column for column in COLUMNS if column.key == "share")
    texts = (found.exact(sheet, node) for node in range(len(sheet)))
    return [np.nan if text == "" else float(text) for text in texts]


def query(told: Told) -> list[float]:
    field = FIELD_OF["share"].numbers
    assert field is not None
    return list(map(float, field(NodeKnowledge(Texts(told.findings.graph), told.findings))))


def page(told: Told) -> list[float]:
    shares = (row[6] for row in page_data(content_of(told.draft.case))["nodes"])
    return [np.nan if share is None else share for share in shares]


def reopened(told: Told) -> list[float]:
    blame = told.bundle.case.blame
    assert blame is not None
    return list(map(float, blame.blame_shares))


def tensors(told: Told) -> list[float]:
    """Of each node what stands beside the tensors that it makes."""
    case, graph = content_of(told.draft.case), told.findings.graph
    text = next(text for path, text in tables_of(case, Path("x.csv")).items() if path.name == "x-tensors.csv")
    assert text == told.draft.tables["tensors.csv"]
    by_name = {row["tensor"]: float(row["share"]) for row in rows(text) if row["share"]}
    made = ([graph.tensor_names[tensor] for tensor in graph.node_outputs[node]] for node in range(len(graph)))
    return [next((by_name[name] for name in names if name in by_name), np.nan) for names in made]


DOORS: dict[str, Callable[[Told], list[float]]] = {
    "nodes.csv": lambda told: numbers(blamed_csv(told.findings)),
    "column": column,
    "query": query,
    "page": page,
    "table of the bundle": lambda told: numbers(told.draft.tables["nodes.csv"]),
    "reopened": reopened,
    "tensors.csv": tensors,
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same(told: Told, door: str) -> None:
    blame = told.findings.blame
    assert blame is not None and np.nanmax(blame.blame_shares) > 0.1
    np.testing.assert_array_equal(DOORS[door](told), blame.blame_shares)


def test_who_is_named_first_has_the_largest_share_and_the_headline_its_number(told: Told) -> None:
    blame = told.findings.blame
    assert blame is not None
    first = int(np.nanargmax(blame.blame_shares))
    percent = f"{blame.blame_shares[first] * 100:.0f} %"
    name, data = told.findings.graph.title(first), blame_data(blame)
    assert blame.model.top[0].node == first and f"{name} " in blame.model.text and percent in blame.model.text
    assert blame.blamed_at == data["output"] == "probabilities"
    assert data["top"][0] == {"node": name, "share": blame.blame_shares[first], "range": None}
    assert len(data["top"]) == np.count_nonzero(blame.blame_shares >= 0.01)


def test_a_bundle_of_an_earlier_version_has_the_shares_that_its_verdict_names(told: Told) -> None:
    graph, found = told.findings.graph, dict(told.draft.found)
    found["blame"] = {key: value for key, value in found["blame"].items() if key != "blamed"}
    blame = found_of(found, graph).blame
    assert blame is not None
    named = {each.node: each.share for each in blame.model.top}
    expected = [named.get(node, np.nan) for node in range(len(graph))]
    np.testing.assert_array_equal(blame.blame_shares, expected)


@pytest.mark.parametrize("odd", [{"output": 10**6}, {"output": -7}, {"inputs": [[-1, 0.5]]}])
def test_tensors_that_the_graph_does_not_have_are_refused(told: Told, odd: dict[str, object]) -> None:
    found = dict(told.draft.found)
    found["blame"] = {**found["blame"], "model": {**found["blame"]["model"], **odd}}
    with pytest.raises(FormatError):
        found_of(found, told.findings.graph)


def test_no_share_is_more_than_all_of_it(told: Told) -> None:
    """They need not add up to all: errors cancel, and outputs saturate."""
    blame = told.findings.blame
    assert blame is not None
    assert 0.9 < np.nanmax(blame.blame_shares) <= 1
