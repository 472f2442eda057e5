"""Our own tables, which come back as files: what `errorflow compare` wrote of tensors and of nodes."""

import re

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.definitions.definition import Definition, same
from errorflow.compare.metrics.details import DETAILS

VENDOR = "Errorflow"
TENSOR, NODE = "errorflow.", "errorflow.node."
OWN_SHARE = f"{NODE}introduced_share"
_BARS = re.compile(r"\|([^|]+)\|")


def _plain(formula: str) -> str:
    """Writes a formula without bars, which part the cells of a table."""
    return _BARS.sub(r"abs(\1)", formula)


TENSORS: tuple[Definition, ...] = tuple(
    Definition(
        f"{TENSOR}{row.key}",
        VENDOR,
        row.key,
        _plain(row.formula),
        row.higher_is_better,
        "accumulated",
        row.key,
        same,
        row.misleads,
    )
    for row in (*METRICS, *DETAILS)
)

NODES: tuple[Definition, ...] = (
    Definition(
        f"{NODE}accumulated",
        VENDOR,
        "accumulated",
        "√Σ (c − r)² / √Σ r²",
        False,
        "accumulated",
        "relative_l2",
        same,
        "Of a node with several outputs that of the worst one.",
    ),
    Definition(
        f"{NODE}introduced", VENDOR, "introduced", "‖n_C(c) − n_R(c)‖ / ‖r‖, n a node on given inputs", False, ""
    ),
    Definition(f"{NODE}inherited", VENDOR, "inherited", "‖n_R(c) − n_R(r)‖ / ‖r‖, n a node on given inputs", False, ""),
    Definition(f"{NODE}share", VENDOR, "share", "part of the error power at the output that goes back to it", None, ""),
    Definition(OWN_SHARE, VENDOR, "introduced share", "<introduced, error> / <error, error>", None, ""),
    Definition(f"{NODE}gain", VENDOR, "gain", "error of the output over that of the worst input", None, ""),
)

ERRORFLOW = (*TENSORS, *NODES)
