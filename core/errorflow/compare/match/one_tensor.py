"""One tensor of one operator, for a look at every value: what msaccucmp refuses there, and why."""

from errorflow.base.values import dataclass
from errorflow.compare.match import codes
from errorflow.compare.match.by_fusion import GroupNames, Matcher
from errorflow.compare.match.codes import RefusedError
from errorflow.compare.match.fusion.golden import Goldens
from errorflow.compare.match.fusion.table import FusionTable, Operator, group_names
from errorflow.compare.match.model import BOTH_NPU, Pair
from errorflow.compare.match.sides import ComparedRun, Operation
from errorflow.formats.npu.names import written
from errorflow.graph.build import counted
from errorflow.graph.dump import Stored

_LIST = "See tensors.csv of a comparison without -op for what there is."


@dataclass(frozen=True, slots=True)
class Which:
    """The tensor: `side` is input or output."""

    operator: str
    side: str = "output"
    index: int = 0

    @property
    def text(self) -> str:
        return f"{self.operator}:{self.side}:{self.index}"


def tensor_by_fusion(table: FusionTable, candidate: ComparedRun, reference: ComparedRun, which: Which) -> Pair:
    """The pair, with both tensors; `RefusedError` where there is none."""
    operator = table.find(which.operator)
    if operator is None:
        raise RefusedError(
            f"The model has no operator {which.operator}.", "Give its name in the model.", codes.WRONG_OPTIONS
        )
    _check_comparable(operator)
    matcher = Matcher(table, candidate, Goldens(table, reference))
    operation = matcher.operation(operator)
    _, refused = matcher.refusal(operator, operation)
    if operation is None or refused:
        raise RefusedError(f"There is no dump of {which.operator} that can be read.", _LIST, refused)
    names = group_names(table.groups[table.group_of[operator.name]])
    stored = _one_of(operation, which)
    place = which.side == "input", which.index, stored
    pair = matcher.pair(operator, operation, place, GroupNames(names[0], names[1] if names[1] else "*"))
    if pair.reference is None:
        raise RefusedError(f"The reference has nothing for {which.text}.", _LIST, codes.NO_DUMP)
    return pair


def tensor_of_npu_runs(candidate: ComparedRun, reference: ComparedRun, which: Which) -> Pair:
    """The same tensor of both, by name."""
    sides = []
    for run, option in ((candidate, "-m"), (reference, "-g")):
        operation = run.operation(written(which.operator))
        if operation is None:
            raise RefusedError(f"There is no dump of {which.operator} in {option}.", _LIST, codes.NO_DUMP)
        if operation.problem:
            raise RefusedError(operation.problem, "Dump the operator again.", codes.BROKEN_DUMP)
        sides.append(_one_of(operation, which))
    return Pair(which.text, sides[0], sides[1], rule="operator-name", way=BOTH_NPU, node=which.operator)


def _check_comparable(operator: Operator) -> None:
    if operator.is_inner:
        raise RefusedError(
            f"{operator.name} lies inside of a fusion: nothing of the original model stands for it.",
            "Take the operator at the end of the fusion.",
            codes.UNSUPPORTED,
        )
    if operator.in_quantized_pair:
        raise RefusedError(
            f"{operator.name} lies between quantization and dequantization: its values are codes.",
            "Take the operator that dequantizes.",
            codes.UNSUPPORTED,
        )


def _one_of(operation: Operation, which: Which) -> Stored:
    tensors = operation.inputs if which.side == "input" else operation.outputs
    if which.index >= len(tensors):
        raise RefusedError(
            f"{which.operator} has no {which.side} {which.index} in the dump.",
            f"It has {counted(len(tensors), which.side, f'{which.side}s')}, counted from 0.",
            codes.OUT_OF_RANGE,
        )
    return tensors[which.index]
