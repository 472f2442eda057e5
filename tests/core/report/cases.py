"""Cases of the built-in samples, measured without a model being run."""

from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare.pairs import compare
from errorflow.explain.blame.estimate import blame
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_model, read_tensors
from errorflow.report.content import Content
from errorflow.report.html.evidence import evidence_of
from evidence_tensors import opened_sample


def sample(key: str) -> Sample:
    return next(each for each in SAMPLES if each.key == key)


def case_of(key: str = "drift", **more: object) -> Content:
    """`more`: fields of the case."""
    chosen = sample(key)
    graph = read_model(chosen.model).graph
    comparison = compare(read_tensors(chosen.reference_run), read_tensors(chosen.candidate_run))
    findings = Findings.of(graph, comparison, blame(graph, comparison))
    return Content(chosen.title, graph, findings, **more)  # type: ignore[arg-type]  # fields of the dataclass


def pictured(key: str = "drift", **more: object) -> Content:
    """The same with pictures of the nodes that matter."""
    opened = opened_sample(key)
    findings = Findings.of(opened.graph, opened.findings.comparison, blame(opened.graph, opened.findings.comparison))
    evidence = evidence_of(findings, opened.match)
    return Content(sample(key).title, opened.graph, findings, evidence=evidence, **more)  # type: ignore[arg-type]  # as above
