"""Shifts of biases under a plan, and their size."""

from errorflow.base import UsageError, dataclass
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.carriers import carriers
from errorflow.quant.plan import Plan
from errorflow.quant.steps import shifts_of


@dataclass(frozen=True, slots=True)
class Shift:
    """Added to a bias, by the names of tensors."""

    # "": there was none.
    bias: str
    place: int
    # What is multiplied and by what, where the sum is to have codes of 32 bits; else both "".
    source: str
    weight: str
    values: tuple[float, ...]


def shifts_under(graph: Graph, plan: Plan, assigned: Assigned) -> dict[str, Shift]:
    """Finds shifts by the first tensor that a node makes; of layers whose weights are coded: others make no error."""
    wanted = shifts_of(plan.steps)
    if not wanted:
        return {}
    names = graph.tensor_names
    unknown = [name for name in wanted if graph.tensor_index(name) is None]
    if unknown:
        raise UsageError(
            f"The plan corrects biases of {unknown[0][:80]}, which this model does not have.",
            "Correct the biases of this model anew.",
        )
    found: dict[str, Shift] = {}
    for each in carriers(graph):
        values = wanted.get(names[each.made])
        if values is None or each.weight not in assigned.constants:
            continue
        if len(values) != each.channels:
            raise UsageError(
                f"The plan corrects {len(values):,} biases of {names[each.made]}, and the model has {each.channels:,}.",
                "Correct the biases of this model anew.",
            )
        coded = plan.biases and each.is_own and each.source in assigned.activations
        pair = (names[each.source], names[each.weight]) if coded else ("", "")
        found[names[each.made]] = Shift("" if each.bias < 0 else names[each.bias], each.place, *pair, values)
    return found
