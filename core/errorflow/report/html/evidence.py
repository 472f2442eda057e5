"""Pictures of what the nodes that matter make: their values in both runs."""

from collections.abc import Iterator

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.compare.match.model import Match
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.choices import default_choice, node_choices
from errorflow.explain.inspect.figures import channel_figure, values_figure
from errorflow.explain.inspect.look import Looked, look
from errorflow.report.account.choosing import nodes_that_matter
from errorflow.report.content import NodeEvidence
from errorflow.report.figure_shapes import figure_svg

_SIZE = (460, 290)


def evidence_of(findings: Findings, match: Match | None, progress: Progress = SILENT) -> tuple[NodeEvidence, ...]:
    """Makes evidence of the nodes that matter."""
    blame = findings.blame
    if blame is None:
        return ()
    return tuple(evidence_on(findings, match, node, progress) for node in nodes_that_matter(blame))


def evidence_on(findings: Findings, match: Match | None, node: int, progress: Progress = SILENT) -> NodeEvidence:
    if match is None:
        return NodeEvidence(node, "")
    choices = node_choices(findings.graph, node, findings, match)
    chosen = default_choice(choices)
    if chosen < 0 or choices[chosen].lack:
        why = f"No picture: {choices[chosen].lack}" if chosen >= 0 else ""
        return NodeEvidence(node, "", (why,) if why else ())
    try:
        seen = look(choices[chosen], findings.graph, findings, match, progress)
    except ErrorflowError as error:  # a file that is gone by now takes only its own picture with it
        return NodeEvidence(node, "", (f"No picture: {error.message}",))
    return NodeEvidence(node, _picture(seen), tuple(_lines(seen)))


def _picture(seen: Looked) -> str:
    """Channels where one is so loud that the others are lost, else the histograms."""
    if seen.loud is not None and seen.channels is not None:
        return figure_svg(channel_figure(seen.channels, seen.overview, name=seen.tensors.name), *_SIZE)
    return figure_svg(values_figure(seen.overview, seen.overview.values.wants_log), *_SIZE)


def _lines(seen: Looked) -> Iterator[str]:
    if seen.loud is not None:
        yield seen.loud.text
