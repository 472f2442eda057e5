"""Columns of lists after a comparison. To add a column: a row in COLUMNS."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.language import say
from errorflow.base.values import dataclass
from errorflow.compare.match.rules import RULE_OF
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale, places
from errorflow.compare.metrics.states import State

if TYPE_CHECKING:
    from errorflow.explain.blame.model import Blame
    from errorflow.explain.findings.change import MetricChange
    from errorflow.explain.findings.fields import Computed
    from errorflow.explain.findings.model import Findings, Limits

Floats = NDArray[np.float64]
# What `Blame` calls relative is this.
_RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")

_LARGEST = np.finfo(np.float64).max


class Sheet:
    """Findings as one metric shows them."""

    def __init__(self, findings: "Findings", metric: str, limits: "Limits", computed: "Computed | None" = None) -> None:
        self.findings = findings
        # What nodes compute in; None: nothing is simulated.
        self.computed = computed
        self.scale = findings.scale(metric, limits)
        self._limits = limits

    def __len__(self) -> int:
        return len(self.findings.graph)

    @property
    def blame(self) -> "Blame | None":
        return self.findings.blame

    @property
    def blames(self) -> bool:
        """Whether an output is bad and it is known which nodes its error goes back to."""
        return self.blame is not None and self.blame.blamed is not None

    @cached_property
    def change(self) -> "MetricChange | None":
        """Against the run that is compared with; None: there is none."""
        from errorflow.explain.findings.change import MetricChange

        return None if self.scale is None else MetricChange.of(self.findings, self.scale.key, self._limits)

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Nodes that were measured by this metric."""
        return np.zeros(len(self), bool) if self.scale is None else self.findings.worst(self.scale)[0] >= 0

    @cached_property
    def values(self) -> Floats:
        """Values of the worst tensor that each node makes; NaN also where nothing was measured."""
        return np.full(len(self), np.nan) if self.scale is None else self.findings.worst(self.scale)[1]

    @cached_property
    def badness(self) -> Floats:
        """0 (good) … 1 (bad), 1 for a value that is none; NaN where nothing was measured."""
        if self.scale is None:
            return self.values
        found = np.clip(places(self.scale, self.values), 0.0, 1.0)
        return np.where(self.measured, np.where(np.isnan(found), 1.0, found), np.nan)

    @cached_property
    def worst_first(self) -> Ints:
        """Nodes that have a share of the blame, the largest first, then what was measured, in the order of running
        where it is equally bad.
        """
        shares = np.nan_to_num(self.shares)
        order = self.natural[(self.measured | (shares > 0))[self.natural]]
        order = order[sorted_by(self._worth[order], descending=True)]
        return order[sorted_by(shares[order], descending=True)]

    @cached_property
    def shares(self) -> Floats:
        """Shares of the error at the output, by node; NaN: not known."""
        return _of_blame(self, lambda blame: blame.blame_shares)

    @cached_property
    def natural(self) -> Ints:
        """Nodes in the order of running."""
        return np.argsort(self.findings.depths, kind="stable").astype(np.int32)

    @cached_property
    def _worth(self) -> Floats:
        """Badness, beyond the limits as well."""
        values = self.values
        return values if self.scale is None else _below(np.inf, values, places(self.scale, values))

    @cached_property
    def keys(self) -> Floats:
        """The values with those that are none at the bad end."""
        if self.scale is None:
            return self.values
        worst = -np.inf if self.scale.higher_is_better else np.inf
        return np.where(self.measured, _below(worst, self.values, self.values), np.nan)


def _below(worst: float, values: Floats, keys: Floats) -> Floats:
    """Keys by which a value that is none is worse than an infinite one."""
    return np.where(np.isnan(values), worst, np.clip(keys, -_LARGEST, _LARGEST))


def sorted_by(keys: Floats, *, descending: bool) -> Ints:
    """Places of the keys in their order; equal ones stay, and NaN is last either way."""
    return np.argsort(-keys if descending else keys, kind="stable").astype(np.int32)


@dataclass(frozen=True, slots=True)
class NodeColumn:
    """One column. `keys` are what it is sorted by, NaN where there is nothing to say."""

    key: str
    # "": that of the metric on view.
    title: str
    tip: str
    text: Callable[[Sheet, int], str]
    keys: Callable[[Sheet], Floats]
    is_number: bool = False
    # Whether verdicts must be known for it.
    of_blame: bool = False
    # Whether the larger keys are to be looked at first; None: as the metric on view says.
    descending: bool | None = True
    # What the tooltip of a node says in place of the text, where that is more.
    told: Callable[[Sheet, int], str] | None = None
    # Of a column of numbers these, for files; NaN also where nothing is said.
    values: Callable[[Sheet], Floats] | None = None

    def exact(self, sheet: Sheet, node: int) -> float | str:
        """The number with all its digits, else the text; "": nothing is known."""
        text = self.text(sheet, node)
        return text if self.values is None or not text else float(self.values(sheet)[node])

    def tip_text(self, sheet: Sheet, node: int) -> str:
        return self.text(sheet, node) if self.told is None else self.told(sheet, node)

    def title_on(self, sheet: Sheet | None) -> str:
        if self.title or sheet is None or sheet.scale is None:
            return self.title
        return sheet.scale.label

    def tip_on(self, sheet: Sheet | None) -> str:
        """Measure, metric and formula where the metric on view is shown."""
        if self.title or sheet is None or sheet.scale is None:
            return self.tip
        return f"{sheet.findings.measured(sheet.scale).measure} · {sheet.scale.label} · {sheet.scale.formula}"

    def worst_is_large(self, sheet: Sheet | None) -> bool:
        if self.descending is not None or sheet is None or sheet.scale is None:
            return self.descending is not False
        return not sheet.scale.higher_is_better


def _verdict_text(sheet: Sheet, node: int) -> str:
    from errorflow.explain.blame.model import Verdict

    if sheet.blame is None:
        return ""
    word = sheet.blame.word(node)
    return "" if word == Verdict.NOT_MEASURED.word else word


def _verdict_told(sheet: Sheet, node: int) -> str:
    word, method = _verdict_text(sheet, node), "" if sheet.blame is None else sheet.blame.method(node)
    return say("{} ({})", word, say(method)) if method else word


def _verdict_keys(sheet: Sheet) -> Floats:
    from errorflow.explain.blame.model import Verdict

    found = _of_blame(sheet, lambda blame: blame.verdicts.astype(np.float64))
    return np.where(found == Verdict.NOT_MEASURED, np.nan, found)


def _of_blame(sheet: Sheet, column: "Callable[[Blame], Floats]") -> Floats:
    return np.full(len(sheet), np.nan) if sheet.blame is None else column(sheet.blame)


def _accumulated_text(sheet: Sheet, node: int) -> str:
    if sheet.scale is None or not sheet.measured[node]:
        return ""
    return sheet.scale.text(float(sheet.values[node]))


def _introduced_text(sheet: Sheet, node: int) -> str:
    return "" if sheet.blame is None else _number_text(_RELATIVE, sheet.blame.introduced, node)


def _introduced(sheet: Sheet) -> Floats:
    return _of_blame(sheet, lambda blame: blame.introduced)


def _share_text(sheet: Sheet, node: int) -> str:
    return "" if sheet.blame is None else sheet.blame.told_share(node)


def _share_told(sheet: Sheet, node: int) -> str:
    return "" if sheet.blame is None else sheet.blame.blamed_text(node)


def _share_keys(sheet: Sheet) -> Floats:
    """Sort keys of shares: equal ones stand by how bad they are, as in `worst_first`."""
    found, order = np.full(len(sheet), -float(len(sheet))), sheet.worst_first
    found[order] = -np.arange(len(order), dtype=np.float64)
    return np.where(np.isnan(sheet.shares), np.nan, found)


def _own_shares(sheet: Sheet) -> Floats:
    return _of_blame(sheet, lambda blame: blame.shares)


def _own_share_text(sheet: Sheet, node: int) -> str:
    from errorflow.explain.blame.model import share_text

    return share_text(np.nan if sheet.blame is None else float(sheet.blame.shares[node]))


def _number_text(scale: Scale, values: Floats, node: int) -> str:
    value = float(values[node])
    return "" if np.isnan(value) else scale.text(value)


def _change_text(sheet: Sheet, node: int) -> str:
    change = sheet.change
    if change is None or change.nodes[0][node] < 0:
        return ""
    return change.text(float(change.nodes[1][node]))


def _change_told(sheet: Sheet, node: int) -> str:
    change = sheet.change
    tensor = -1 if change is None else int(change.nodes[0][node])
    return "" if change is None or tensor < 0 else f"{change.title}: {change.told(tensor)}"


def _change_keys(sheet: Sheet) -> Floats:
    """Sort keys of changes: what is most to be looked at is largest."""
    change = sheet.change
    if change is None:
        return np.full(len(sheet), np.nan)
    found = np.append(change.ranks, np.nan)[change.nodes[0]]
    return np.where(np.isfinite(found), found, np.nan)


def _states_text(sheet: Sheet, node: int) -> str:
    return say(State(int(sheet.findings.node_states[node])).words)


def _states_keys(sheet: Sheet) -> Floats:
    states = sheet.findings.node_states
    # The first bits are the worst, and what was only not measured is least.
    counted = np.zeros(len(sheet))
    for rank, state in enumerate(State):
        counted += ((states & state) != 0) * 2.0 ** (len(State) - rank)
    return np.where(states == 0, np.nan, counted)


def _quantized_text(sheet: Sheet, node: int) -> str:
    return say("yes") if sheet.findings.quantized[node] else ""


def _quantized_keys(sheet: Sheet) -> Floats:
    return np.where(sheet.findings.quantized, 1.0, np.nan)


def _precision_text(sheet: Sheet, node: int) -> str:
    return "" if sheet.computed is None else sheet.computed.texts[node]


def _precision_told(sheet: Sheet, node: int) -> str:
    text = _precision_text(sheet, node)
    return f"{text} (switched)".strip() if sheet.computed is not None and sheet.computed.kept[node] else text


def _precision_keys(sheet: Sheet) -> Floats:
    """Sort keys of precisions: what was switched first, and then by the text."""
    if sheet.computed is None:
        return np.full(len(sheet), np.nan)
    ranks = {text: float(place) for place, text in enumerate(sorted(set(sheet.computed.texts)))}
    known = zip(sheet.computed.texts, sheet.computed.kept > 0, strict=True)
    found = np.array([ranks[text] if text or kept else np.nan for text, kept in known])
    return found - np.where(sheet.computed.kept > 0, float(len(ranks)), 0.0)


def _rule_text(sheet: Sheet, node: int) -> str:
    rule = sheet.findings.rules[node]
    return say(RULE_OF[rule].label) if rule in RULE_OF else rule


def _rule_keys(sheet: Sheet) -> Floats:
    rules = sheet.findings.rules
    known = {key: float(place) for place, key in enumerate(sorted(filter(None, rules.values)))}
    ranks = np.array([known.get(key, np.nan) for key in rules.values])
    return ranks[rules.codes] if len(ranks) else np.zeros(0)


COLUMNS: tuple[NodeColumn, ...] = (
    NodeColumn(
        "accumulated",
        "",
        "How far what it makes is from the reference",
        _accumulated_text,
        lambda sheet: sheet.keys,
        is_number=True,
        descending=None,
        values=lambda sheet: sheet.values,
    ),
    NodeColumn(
        "share",
        "Share of blame",
        "The part of the error at the output that goes back to the node; equal shares are sorted by the error",
        _share_text,
        _share_keys,
        is_number=True,
        of_blame=True,
        told=_share_told,
        values=lambda sheet: sheet.shares,
    ),
    NodeColumn(
        "change",
        "Change",
        "How much better or worse the metric on view is than in the run that is compared with; sorted with what is "
        "worse first, then what is better",
        _change_text,
        _change_keys,
        is_number=True,
        told=_change_told,
        values=lambda sheet: sheet.values if sheet.change is None else sheet.change.nodes[1],
    ),
    NodeColumn(
        "verdict",
        "Verdict",
        "Where error is born and what becomes of it",
        _verdict_text,
        _verdict_keys,
        of_blame=True,
        told=_verdict_told,
    ),
    NodeColumn(
        "introduced",
        "Introduced",
        f"introduced · {_RELATIVE.label} · what the node adds itself, over the size of its output",
        _introduced_text,
        _introduced,
        is_number=True,
        of_blame=True,
        values=_introduced,
    ),
    NodeColumn(
        "introduced_share",
        "Introduced share",
        "introduced · The part of its error that the node adds itself · <introduced, error> / <error, error>, from 0 "
        "to 100 % also where the parts cancel each other",
        _own_share_text,
        _own_shares,
        is_number=True,
        of_blame=True,
        values=_own_shares,
    ),
    NodeColumn("states", "States", "What no number may hide, such as NaN or saturation", _states_text, _states_keys),
    NodeColumn(
        "precision",
        "Precision",
        "What it computes in: reads → makes, and weights where they differ; sorted with those first that you switched",
        _precision_text,
        _precision_keys,
        descending=False,
        told=_precision_told,
    ),
    NodeColumn(
        "quantized", "Quantized", "Computes on codes or on values made of codes", _quantized_text, _quantized_keys
    ),
    NodeColumn(
        "rule", "Matched by", "The rule by which its output found its partner", _rule_text, _rule_keys, descending=False
    ),
)
