"""Three runs are measured, two at a time."""

from collections.abc import Callable, Sequence

from errorflow.base import SILENT, Progress, dataclass, replace
from errorflow.compare.limits import Limit
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison
from errorflow.compare.pairs import compare_match
from errorflow.compare.summary import DECIDING
from errorflow.explain.stages.judge import judge
from errorflow.explain.stages.model import Stages

Measure = Callable[[Match], Comparison]


@dataclass(frozen=True, slots=True)
class Three:
    """Three matches: simulator for float, board for simulator, board for float."""

    quantization: Match
    deployment: Match
    total: Match


def compare_three(
    three: Three,
    *,
    total: Comparison | None = None,
    limits: Sequence[Limit] = DECIDING,
    measure: Measure | None = None,
    progress: Progress = SILENT,
) -> Stages:
    """Finds which step is at fault.

    `total`: what was measured of `three.total` already. `measure` makes a comparison of a match in another way than by
    the machine's cores.
    """

    def plainly(match: Match) -> Comparison:
        return compare_match(match, progress=progress)

    how = plainly if measure is None else measure
    rows = (how(three.total) if total is None else total).rows
    chained = Match(tuple(_chained(three)))
    if chained.pairs:
        rows += how(chained).rows
    outputs = outputs_of(three.total) | outputs_of(three.quantization)
    return judge(how(three.quantization), how(three.deployment), Comparison(rows), outputs=outputs, limits=limits)


def outputs_of(match: Match) -> frozenset[str]:
    """The reference's names of the tensors that leave the network."""
    leaving = frozenset(match.network_outputs)
    return frozenset(
        pair.reference.info.name for pair in match.pairs if pair.tensor in leaving and pair.reference is not None
    )


def _chained(three: Three) -> list[Pair]:
    """Pairs of board and float that only the simulator leads to: both stand for the same tensor of it."""
    direct = {pair.reference.info.name for pair in three.total.pairs if _is_whole(pair) and pair.reference is not None}
    board = {
        pair.reference.info.name: pair
        for pair in three.deployment.pairs
        if _is_whole(pair) and pair.reference is not None
    }
    found: list[Pair] = []
    for pair in three.quantization.pairs:
        if not _is_whole(pair) or pair.candidate is None or pair.reference is None:
            continue
        other = board.get(pair.candidate.info.name)
        if other is not None and pair.reference.info.name not in direct:
            found.append(replace(other, reference=pair.reference, rule=pair.rule))
    return found


def _is_whole(pair: Pair) -> bool:
    return pair.candidate is not None and pair.reference is not None and bool(pair.rule) and not pair.note
