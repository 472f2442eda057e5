"""Mapping of the files that would be compared, read no further than their heads: msaccucmp's `-map`."""

from collections.abc import Iterator

from errorflow.base.values import dataclass
from errorflow.compare.match.by_fusion import NAN
from errorflow.compare.match.fusion.golden import Goldens
from errorflow.compare.match.fusion.quantized import QUANTIZING, is_dequantizing
from errorflow.compare.match.fusion.table import FusionTable, Operator, Relation, group_names, relation
from errorflow.compare.match.selection import Group, Selection, everything
from errorflow.compare.match.sides import ComparedRun, Operation
from errorflow.formats.npu.names import written


@dataclass(frozen=True, slots=True)
class MappingLine:
    index: int
    sequence: int
    op_type: str
    candidates: str
    references: str
    tensor: str = NAN
    candidate_path: str = NAN
    reference_path: str = NAN


def mapping(
    table: FusionTable, candidate: ComparedRun, reference: ComparedRun, selection: Selection = everything
) -> Iterator[MappingLine]:
    """Yields all operators, also those that the comparison leaves out, in the order of the result."""
    goldens = Goldens(table, reference)
    for group in sorted(selection(table), key=lambda group: group[0].index):
        for operator in group:
            operation = candidate.operation(written(operator.name))
            yield from _lines(operator, group, operation, goldens)


def _lines(operator: Operator, group: Group, operation: Operation | None, goldens: Goldens) -> Iterator[MappingLine]:
    names = _names(operator, group)
    path = NAN if operation is None else operation.path
    if operation is None or operation.problem:
        yield MappingLine(operator.index, operator.number, operator.op_type, *names, candidate_path=path)
        return
    counts = (
        (True, 0 if is_dequantizing(operator) else len(operation.inputs)),
        (False, 0 if operator.op_type == QUANTIZING else len(operation.outputs)),
    )
    for is_input, count in counts:
        for index in range(count):
            tensor = f"{operator.name}:{'input' if is_input else 'output'}:{index}"
            golden = goldens.path(operator, index, is_input)
            yield MappingLine(
                operator.index, operator.number, operator.op_type, *names, tensor, path, golden if golden else NAN
            )


def _names(operator: Operator, group: Group) -> tuple[str, str]:
    if relation(group) is not Relation.TO_ONE:
        return group_names(group)
    references = ",".join(operator.originals)
    return operator.name, references if references else "*"
