"""What is told about two graphs above them."""

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph
from errorflow_viewer.document.second_graph import Second, Which


def about(second: Second, which: Which, graph: Graph) -> str:
    """Beside the name of the model: its side once that is known, and how large it is."""
    side = "" if second.links is None else f"{second.side_of(which)} · "
    return f"{side}{len(graph):,} nodes"


def painted_name(name: str, by_change: bool) -> str:
    """Of the second model; while the first is painted by what changed, its colours mean something else."""
    return f"{name}, painted by error" if by_change else name


def lonely_text(second: Second, which: Which) -> tuple[str, str]:
    """How many nodes have no partner, and what that means; empty where all have."""
    side, links = second.side_of(which), second.links
    count = 0 if links is None or not second.linked else int(np.count_nonzero(links.unmatched(side)))
    if not count:
        return "", ""
    if side == "candidate":
        return f"{count:,} inserted", "Nodes with a dashed outline have no partner: only the candidate has them."
    return f"{count:,} removed", "Nodes with a dashed outline have no partner: only the reference has them."


def relation(second: Second, lead: Which, nodes: Ints, other: Graph | None) -> tuple[str, str]:
    """What is told above the leading graph and above the other one about selected nodes and their partners."""
    if second.links is None or other is None or not len(nodes):
        return "", ""
    if not second.linked:
        return "", "Inside a subgraph nothing is linked"
    partners = second.partners(lead, nodes)
    if not len(partners):
        return ("", "No partner here") if len(nodes) == 1 else ("", "No partners here")
    if len(nodes) > 1:
        return "", f"{len(partners):,} partners"
    siblings = second.partners("second" if lead == "main" else "main", partners)
    rule = _rule(second, lead, int(nodes[0]), int(partners[-1]))
    kind = "merged" if len(partners) == 1 else "split" if len(siblings) == 1 else "regrouped"
    if second.side_of(lead) == "candidate":
        kind = {"merged": "split", "split": "merged"}.get(kind, kind)
    several = len(siblings) > 1 or len(partners) > 1
    here = f"{kind}: {_arrow(second, lead, len(siblings), len(partners))}" if several else ""
    types = " + ".join(dict.fromkeys(other.op_types[node] for node in partners[:4].tolist()))
    there = f"{types}{', …' if len(partners) > 4 else ''}"
    count = f"{len(partners):,} nodes: " if len(partners) > 1 else ""
    return here, f"{count}{there}{rule}"


def _arrow(second: Second, lead: Which, here: int, there: int) -> str:
    """How many nodes became how many."""
    before, after = (here, there) if second.side_of(lead) == "reference" else (there, here)
    return f"{before:,} → {after:,}"


def _rule(second: Second, lead: Which, node: int, partner: int) -> str:
    assert second.links is not None, "asked for what is linked"
    ends = (node, partner) if second.side_of(lead) == "reference" else (partner, node)
    rule = second.links.rule(*ends)
    return "" if rule is None else f" · by {rule.label}{'' if rule.certain else ' (a guess)'}"
