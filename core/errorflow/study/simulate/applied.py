"""Results of a plan's steps, whatever kind they are."""

from collections.abc import Iterator

from errorflow.base.values import dataclass
from errorflow.graph.build import counted
from errorflow.quant.plan import Plan
from errorflow.study.rewrites.model import ChannelScaling, Skipped, What
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.correcting import changes_of

# So many reasons are told in words.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class Applied:
    """Results of steps; none, where the plan has no steps."""

    changes: tuple[ChannelScaling, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def of(self, what: What) -> tuple[ChannelScaling, ...]:
        return tuple(change for change in self.changes if change.what == what)

    def lines(self, reasons: bool = True) -> Iterator[str]:
        """Yields a line for each kind of step that changed something or could not, for these reasons."""
        for what, text in (("equalized", _equalized), ("smoothed", _smoothed), ("corrected", _corrected)):
            changes = [change for change in self.changes if change.what == what]
            if changes:
                yield text(changes)
            yield from _left([each.reason for each in self.skipped if each.what == what], what, reasons)


def applied(bench: Bench, plan: Plan) -> Applied:
    """Finds the results of a plan that the bench suits."""
    corrected = changes_of(bench, plan)
    if bench.remade is None:
        return Applied(corrected)
    return Applied((*bench.remade.changes, *corrected), bench.remade.skipped)


def _smoothed(changes: list[ChannelScaling]) -> str:
    worst = max(changes, key=lambda change: change.before.activations)
    put_in = sum(bool(change.inserted) for change in changes)
    more = f" ({counted(put_in, 'node', 'nodes')} put in)" if put_in else ""
    return (
        f"Smoothed: {counted(len(changes), 'tensor', 'tensors')}{more}; worst {worst.tensor}, whose usual channel was "
        f"{worst.before.activations:.1f} bits below the loudest and is {worst.after.activations:.1f} now."
    )


def _equalized(changes: list[ChannelScaling]) -> str:
    worst = max(changes, key=lambda change: change.before.weights)
    return (
        f"Equalized: {counted(len(changes), 'pair of layers', 'pairs of layers')}; worst around {worst.tensor}, "
        f"weights {worst.before.weights:.1f} bits apart before and {worst.after.weights:.1f} now."
    )


def _corrected(changes: list[ChannelScaling]) -> str:
    most = max(max(abs(change.low), abs(change.high)) for change in changes)
    return f"Biases corrected: {counted(len(changes), 'layer', 'layers')}, by up to {most:.3g}."


def _left(reasons: list[str], what: str, are_told: bool) -> Iterator[str]:
    if not reasons:
        return
    count = counted(len(reasons), "tensor", "tensors")
    if not are_told:
        yield f"Not {what}: {count}."
        return
    kinds = list(dict.fromkeys(reasons))
    told = "; ".join(kinds[:_TOLD])
    more = f"; and {len(kinds) - _TOLD:,} other reasons" if len(kinds) > _TOLD + 1 else ""
    more = f"; {kinds[_TOLD]}" if len(kinds) == _TOLD + 1 else more
    yield f"Not {what}: {count} ({told}{more})."
