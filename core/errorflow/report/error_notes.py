"""Notes for tooltips about the error of a box, in words."""

from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.placed import Measured
from errorflow.explain.blame.model import Blame, Verdict, share_text
from errorflow.explain.findings.model import Findings, State
from errorflow.explain.findings.texts import title_of
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import TOLD, WHY_NOT
from errorflow.report.fold import BoxErrors

# Of a box that nothing was measured of, so many nodes are asked why.
_MOST_NODES = 8
# Of what a closed group hides, so many names.
_MOST_NAMES = 2


@dataclass(frozen=True, eq=False)
class Notes:
    """Words are made for the box that is asked for."""

    graph: Graph
    drawing: Drawing
    boxes: Ints  # of the nodes of the graph
    measured: Measured
    errors: BoxErrors
    measure: str
    # None: nothing is known but the numbers.
    findings: Findings | None = None
    # What is introduced and inherited is told on that metric.
    relative: Scale | None = None

    def of(self, box: int) -> str:
        rows = [self._worst(box), *self._about(box)]
        return "\n".join(row for row in rows if row)

    def _worst(self, box: int) -> str:
        tensor, metric = int(self.errors.tensors[box]), self.measured.metric
        if tensor < 0:
            return self._why_not(box)
        value = metric.text(float(self.measured.values[tensor]))
        worst = f"{self.measure} {value} – {self.graph.tensor_names[tensor]}"
        node = int(self.errors.nodes[box])
        told = "" if self.findings is None or node < 0 else self.findings.told_behind(node)
        worst = f"{worst}\n{told}" if told else worst
        row = np.flatnonzero(self.errors.folds == box)
        return f"worst inside: {worst}\n{self._spread(int(row[0]))}" if len(row) else worst

    def _spread(self, row: int) -> str:
        """Says how many of a fold's nodes were measured, and how many of these lie beyond each limit."""
        bands, limits = self.errors.bands[row].tolist(), self.errors.limits[row].tolist()
        metric, total = self.measured.metric, sum(bands)
        known = total - bands[-1]
        measured = f"{known:,} of {total:,} nodes measured" if known < total else f"all {total:,} nodes measured"
        good, bad = metric.limit(metric.good), metric.limit(metric.bad)
        if not limits[0]:
            return f"{measured}, none beyond {good}"
        if limits[0] == limits[1]:
            return f"{measured}: {limits[1]:,} beyond {bad}"
        rest = f", {limits[1]:,} of them beyond {bad}" if limits[1] else ""
        return f"{measured}: {limits[0]:,} beyond {good}{rest}"

    @cached_property
    def _nodes(self) -> Ragged:
        """Nodes of the graph by the box that shows them: a file needs all boxes."""
        shown = np.flatnonzero(self.boxes >= 0).astype(np.int32)
        return Ragged.grouped(self.boxes[shown], shown, len(self.drawing))

    def _why_not(self, box: int) -> str:
        tensor = int(self.drawing.tensors[box])
        nodes = self._nodes[box][:_MOST_NODES].tolist()
        made = [tensor] if tensor >= 0 else [t for node in nodes for t in self.graph.node_outputs[node].tolist()]
        note = next((self.measured.notes[each] for each in made if each in self.measured.notes), "")
        return f"not measured: {note}" if note else "not measured"

    def _about(self, box: int) -> list[str]:
        """Verdicts and states, of one node or counted over many."""
        findings, tensor, nodes = self.findings, int(self.drawing.tensors[box]), self._nodes[box]
        if findings is None:
            return []
        if tensor >= 0:
            return [_words(State(int(findings.tensor_states[tensor])))]
        if len(nodes) == 1:
            node = int(nodes[0])
            blame = [] if findings.blame is None else self._verdict(findings.blame, node)
            return [*blame, _words(State(int(findings.node_states[node])))]
        return [*self._verdicts(findings, nodes), _counted(findings, nodes)]

    def _verdict(self, blame: Blame, node: int) -> list[str]:
        verdict, note = blame.verdict(node), blame.notes.get(node, "")
        if verdict == Verdict.NOT_MEASURED:
            return [f"no verdict: {note}" if note else ""]
        told = "" if self.findings is None else self.findings.told_behind(node)  # below the value already
        rest = "; ".join(part for part in note.split("; ") if part != told)
        how = f" ({method})" if (method := blame.method(node)) else ""
        share = self._blamed(blame, node)
        return [share, f"{verdict.word}{_shares(blame, node)}{how}", self._introduced(blame, node), rest]

    def _blamed(self, blame: Blame, node: int) -> str:
        """Says the node's share of blame, unless the value above is that already."""
        share = "" if self.measured.metric.key == "share" else blame.blamed_text(node)
        return f"share: {share}" if share else ""

    def _most_blamed(self, blame: Blame, nodes: Ints) -> str:
        """Names the node with the largest share: shares do not add up, and that of the whole is not measured."""
        shares = np.nan_to_num(blame.blame_shares[nodes])
        worst = int(nodes[shares.argmax()]) if shares.any() else -1
        share = "" if worst < 0 else self._blamed(blame, worst)
        return f"worst inside: {title_of(self.graph, worst)}, {share}" if share else ""

    def _introduced(self, blame: Blame, node: int) -> str:
        value = float(blame.introduced[node])
        known = self.relative is not None and not np.isnan(value)
        return f"introduced · {self.relative.label} {self.relative.text(value)}" if known and self.relative else ""

    def _verdicts(self, findings: Findings, nodes: Ints) -> list[str]:
        """Says how many nodes are worth a look, with the names of the first."""
        if findings.blame is None:
            return []
        rows = [self._most_blamed(findings.blame, nodes)]
        for verdict in TOLD:
            found = nodes[findings.blame.verdicts[nodes] == verdict]
            names = [title_of(self.graph, node) for node in found[:_MOST_NAMES].tolist()]
            more = f" and {len(found) - _MOST_NAMES:,} more" if len(found) > _MOST_NAMES else ""
            rows.append(f"{verdict.word}: {', '.join(names)}{more}" if len(found) else "")
        return rows


def _shares(blame: Blame, node: int) -> str:
    share = float(blame.shares[node])
    if np.isnan(share) or blame.verdict(node) == Verdict.CLEAN:
        return ""
    return f" – {share_text(share)} introduced here, {share_text(1 - share)} inherited"


def _words(states: State) -> str:
    return ", ".join(state.words for state in State if state in states and state not in WHY_NOT)


def _counted(findings: Findings, nodes: Ints) -> str:
    """Counts how many of many nodes are in each state."""
    states = findings.node_states[nodes]
    counts = ((state, int((states & state != 0).sum())) for state in State if state not in WHY_NOT)
    return ", ".join(f"{state.words}: {count:,}" for state, count in counts if count)
