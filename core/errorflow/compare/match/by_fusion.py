"""Two runs by what the compiler recorded: msaccucmp's lines in its order, and beside them what it leaves out."""

from collections.abc import Iterator, Sequence
from math import prod

from errorflow.base import SILENT, Progress, dataclass, field, replace
from errorflow.compare.match import codes
from errorflow.compare.match.fusion.golden import Golden, Goldens
from errorflow.compare.match.fusion.quantized import QUANTIZING, is_dequantizing
from errorflow.compare.match.fusion.scales import Meaning, Scales
from errorflow.compare.match.fusion.table import FusionTable, Operator, Relation, group_names, relation
from errorflow.compare.match.model import AS_THEY_ARE, BY_ORIGIN, Listed, Match, Pair
from errorflow.compare.match.reasons import BETWEEN, NO_DUMP, NO_PLACE, NOTHING
from errorflow.compare.match.selection import Group, Selection, everything
from errorflow.compare.match.sides import ComparedRun, Operation, is_npu
from errorflow.formats.amct.record import ScaleRecord
from errorflow.formats.folders.scan import stem_of
from errorflow.formats.npu.names import written
from errorflow.graph.dump import Stored, TensorInfo

NAN = "NaN"
# Types of an NPU that msaccucmp cannot read: it takes the whole operator for not dumped.
_UNREADABLE = frozenset(
    {
        *("string", "string_ref", "dual_sub_int8", "dual_sub_uint8", "dual", "variant", "complex32"),
        *("qint8", "qint16", "qint32", "quint8", "quint16", "int4", "int2", "uint2"),
        *("float8e8m0", "float6e3m2", "float6e2m3", "float4e2m1", "float4e1m2"),
    }
)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of one operator or group."""

    pairs: tuple[Pair, ...]
    code: int = codes.OK
    # Whether msaccucmp takes the model and the dumps for belonging together because of it.
    matches: bool = False


@dataclass(frozen=True, slots=True)
class GroupNames:
    """Names that stand in each line of a group."""

    candidates: str
    references: str


def match_by_fusion(
    table: FusionTable,
    candidate: ComparedRun,
    reference: ComparedRun,
    selection: Selection = everything,
    progress: Progress = SILENT,
    record: ScaleRecord | None = None,
) -> Match:
    """Pairs in the order of msaccucmp's table. A candidate without a partner is a pair too.

    Codes whose scale the record or the model knows are paired as well.
    """
    matcher = Matcher(table, candidate, Goldens(table, reference))
    scales = Scales(table, matcher.goldens, ScaleRecord() if record is None else record, matcher.operation)
    matcher.scales = scales if is_npu(candidate) else None
    groups = list(selection(table))
    found: list[_Lines] = []
    for at, group in enumerate(groups):
        progress.step(at, len(groups), group[0].name)
        found.append(matcher.lines(group))
    order = sorted(range(len(groups)), key=lambda at: groups[at][0].index)
    # Of the first in the order of the table, which is that of the result mostly but not always.
    code = next((lines.code for lines in found if lines.code), codes.OK)
    if not any(lines.matches for lines in found):
        code = codes.NO_DUMP
    return Match(
        tuple(pair for at in order for pair in found[at].pairs),
        only_reference=() if selection is not everything else matcher.unasked(reference),
        only_candidate=matcher.unknown(),
        problems=scales.left_over(),
        exit_code=code,
        network_inputs=tuple(table.network_inputs),
        network_outputs=tuple(table.network_outputs),
    )


@dataclass(slots=True)
class Matcher:
    """Finds the lines of each group of one table; it remembers what was asked for."""

    table: FusionTable
    candidate: ComparedRun
    goldens: Goldens
    # None: codes stay codes.
    scales: Scales | None = None
    # Names on disk of all operators of the model.
    known: set[str] = field(init=False)
    _plain_names: dict[str, str] = field(init=False)
    _way: str = field(init=False)

    def __post_init__(self) -> None:
        npu = is_npu(self.candidate)
        self._way = BY_ORIGIN if npu else AS_THEY_ARE
        operators = [operator for group in self.table.groups.values() for operator in group]
        self.known = {self._key(operator) for operator in operators}
        strange = [name for name in map(self._operator_of, self.candidate.names()) if name not in self.known]
        self._plain_names = {stem_of(name): name for name in strange}

    def unasked(self, reference: ComparedRun) -> tuple[str, ...]:
        """Lists the tensors of the reference that nothing of the candidate was compared with."""
        return tuple(name for name in reference.names() if name not in self.goldens.used)

    def unknown(self) -> tuple[str, ...]:
        """Lists what was dumped of operators that the model does not have."""
        return tuple(name for name in self.candidate.names() if self._operator_of(name) not in self.known)

    def _operator_of(self, name: str) -> str:
        """The operator that a tensor or file of the candidate belongs to."""
        return name if is_npu(self.candidate) else name.rpartition(".")[0]

    def lines(self, group: Sequence[Operator]) -> _Lines:
        kind = relation(group)
        if kind is Relation.TO_ONE:
            return self._to_one(group[0])
        names = GroupNames(*group_names(group))
        if kind is Relation.L1:
            return self._of_l1(group, names)
        return self._to_many(group, group, names, group)

    def _to_one(self, operator: Operator) -> _Lines:
        references = ",".join(operator.originals)
        names = GroupNames(operator.name, references if references else "*")
        operation = self.operation(operator)
        reason, code = self.refusal(operator, operation)
        if operator.in_quantized_pair:
            return _Lines(self._unlisted(operator, operation))
        if code:
            return _Lines((self._empty(operator, names, reason), *self._unlisted(operator, operation)), code)
        assert operation is not None
        pairs = self._tensors(operator, operation, names)
        if not any(pair.listed is not None for pair in pairs):
            return _Lines((self._empty(operator, names, ""), *pairs))
        return _Lines(pairs, matches=True)

    def _of_l1(self, group: Sequence[Operator], names: GroupNames) -> _Lines:
        """Matches only the first and the last operator that ran, since what lies between never was a whole tensor."""
        dumped = [
            (operation.timestamp, operator) for operator in group if (operation := self.operation(operator)) is not None
        ]
        if not dumped:
            return _Lines((self._empty(group[0], names, "The fusion operator list is empty"),), codes.NO_DUMP)
        ran = [operator for _, operator in sorted(dumped, key=lambda entry: entry[0])]
        same = ",".join(ran[0].originals) == ",".join(ran[-1].originals)
        shown = [ran[-1]] if same else [ran[0], ran[-1]]
        return self._to_many(group, shown, names, ran)

    def _to_many(
        self, group: Sequence[Operator], shown: Sequence[Operator], names: GroupNames, all_of_it: Sequence[Operator]
    ) -> _Lines:
        """The lines of the operators in `shown`, one empty line if there are none, and the rest unlisted."""
        pairs: list[Pair] = []
        reasons: list[str] = []
        code, listed = codes.OK, False
        in_l1 = shown is not group
        for operator in shown:
            operation = self.operation(operator)
            if operator.in_quantized_pair:
                pairs += self._unlisted(operator, operation)
                continue
            if operator.is_inner and not in_l1:
                reasons.append(f"[{operator.name}] The op is inner node for multi to multi relation.Skip the op.")
                pairs += self._unlisted(operator, operation)
                continue
            reason, refused = self.refusal(operator, operation)
            code = refused if refused else code
            if refused == codes.NO_DUMP:
                reasons.append(reason)
                pairs += self._unlisted(operator, operation)
                continue
            listed = True
            pairs += self._of_member(operator, operation, names, refused)
        if not listed:
            pairs.insert(0, self._empty(group[0], names, ",".join(reasons)))
        shown_names = {operator.name for operator in shown}
        for operator in all_of_it:
            if operator.name not in shown_names:
                pairs += self._unlisted(operator, self.operation(operator))
        return _Lines(tuple(pairs), code, listed)

    def _of_member(
        self, operator: Operator, operation: Operation | None, names: GroupNames, refused: int
    ) -> tuple[Pair, ...]:
        """An operator of several; one that cannot be read has a line without a reason."""
        if refused or operation is None:
            return self._empty(operator, names, ""), *self._unlisted(operator, operation)
        pairs = self._tensors(operator, operation, names)
        return pairs if any(pair.listed is not None for pair in pairs) else (self._empty(operator, names, ""), *pairs)

    def _tensors(self, operator: Operator, operation: Operation, names: GroupNames | None) -> tuple[Pair, ...]:
        """First what msaccucmp lists: of a dequantizing operator no inputs, of a quantizing one no outputs."""
        sides = (
            (True, operation.inputs, not is_dequantizing(operator)),
            (False, operation.outputs, operator.op_type != QUANTIZING),
        )
        listed = [side for side in sides if side[2]]
        hidden = [side for side in sides if not side[2]]
        pairs = [
            self.pair(operator, operation, (is_input, index, stored), names if shows else None)
            for is_input, tensors, shows in (*listed, *hidden)
            for index, stored in enumerate(tensors)
        ]
        return tuple(pairs)

    def _unlisted(self, operator: Operator, operation: Operation | None) -> tuple[Pair, ...]:
        """Matches what msaccucmp does not show. A dump that it does not find may be there under a similar name."""
        if operation is not None:
            return () if operation.problem else self._tensors(operator, operation, None)
        name = self._plain_names.get(stem_of(operator.name))
        operation = None if name is None else self._of_name(name)
        if name is None or operation is None or operation.problem:
            return ()
        self.known.add(name)
        pairs = self._tensors(operator, operation, None)
        return tuple(pair if pair.reference is None else replace(pair, rule="written-name") for pair in pairs)

    def pair(
        self, operator: Operator, operation: Operation, place: tuple[bool, int, Stored], names: GroupNames | None
    ) -> Pair:
        is_input, index, own = place
        golden = self.goldens.find(operator, index, is_input)
        stored, path = own, operation.path
        whole = self._whole(golden) if is_input and operation.in_pieces else None
        if whole is not None:
            stored, golden, path = whole
        speaker = "" if whole is None or golden.producer is None else golden.producer[0].name
        tensor = f"{operator.name}:{'input' if is_input else 'output'}:{index}"
        note = golden.note if golden.note else "" if golden.stored is not None else "only in the candidate"
        if _holds_codes(operator, is_input) and stored.info.qparams is None:
            note = BETWEEN
        pair = Pair(
            tensor=tensor,
            candidate=stored,
            reference=golden.stored,
            rule=golden.rule if golden.stored is not None else "",
            note=note,
            layout=golden.layout,
            shape=golden.shape if golden.shape else None,
            way=self._way,
            node=operator.name,
            op_type=operator.op_type,
            speaker=speaker,
            listed=None
            if names is None
            else replace(
                self._line(operator, names),
                tensor=tensor,
                reason="" if golden.reason is None else golden.reason,
                measured=golden.reason is None,
                candidate_path=path,
                reference_path=golden.path,
                address=own.info.address if stored is not own else None,
                types=None if stored is own else _types(own.info, golden.stored),
            ),
        )
        return pair if self.scales is None else _decoded(pair, self.scales.of(operator, index, is_input, stored.info))

    def _whole(self, golden: Golden) -> tuple[Stored, Golden, str] | None:
        """Puts together the output that an input is a piece of."""
        if golden.producer is None:
            return None
        operator, index = golden.producer
        operation = self.operation(operator)
        if operation is None or not operation.in_pieces or index >= len(operation.outputs):
            return None
        return operation.outputs[index], self.goldens.find(operator, index, False), operation.path

    def _empty(self, operator: Operator, names: GroupNames, reason: str) -> Pair:
        """The line of an operator of which there is nothing to compare. The note is the same for all, to be counted."""
        listed = replace(self._line(operator, names), reason=reason, measured=False)
        operation = self.operation(operator)
        note = NO_DUMP if operation is None else operation.problem if operation.problem else NOTHING
        broken = "candidate" if operation is not None and operation.problem else ""
        node, kind = operator.name, operator.op_type
        return Pair(node, None, None, note=note, node=node, op_type=kind, listed=listed, broken=broken)

    def _line(self, operator: Operator, names: GroupNames) -> Listed:
        return Listed(operator.index, operator.op_type, names.candidates, names.references, NAN, operator.number)

    def refusal(self, operator: Operator, operation: Operation | None) -> tuple[str, int]:
        """Says why msaccucmp reads nothing of the operator: a sentence, always the same, and a code."""
        code = codes.OK
        if operation is None:
            code = codes.NO_DUMP
        elif operation.problem or operation.older_is_broken:
            code = codes.BROKEN_DUMP
        elif any(is_unreadable(stored.info) for stored in (*operation.inputs, *operation.outputs)):
            code = codes.UNKNOWN_TYPE
        said = f'[{operator.name}] There is no dump file for my output operator "{operator.name}". '
        return f"{said}The type is {operator.op_type}." if code else "", code

    def operation(self, operator: Operator) -> Operation | None:
        return self._of_name(self._key(operator))

    def _of_name(self, name: str) -> Operation | None:
        return self.candidate.operation(name)

    def _key(self, operator: Operator) -> str:
        return written(operator.name)


def _types(piece: TensorInfo, golden: Stored | None) -> tuple[str, str]:
    """Names types as msaccucmp prints them of a piece of an input: it cannot compare one that is smaller than the
    whole.
    """
    if golden is None or prod(piece.shape) < prod(golden.info.shape):
        return NAN, NAN
    return "float32" if piece.dtype == "bfloat16" else piece.dtype, golden.info.dtype


def _decoded(pair: Pair, meaning: Meaning | None) -> Pair:
    """The pair with what its codes mean, and with the tensor that they stand for, unless msaccucmp compares it too."""
    if meaning is None:
        return pair
    if pair.listed is not None and pair.listed.measured:
        return replace(pair, qparams=meaning.qparams) if _is_real(pair.reference) else pair
    golden = meaning.golden
    if golden.stored is None or not _is_real(golden.stored):
        return replace(pair, note=NO_PLACE) if pair.note == BETWEEN else pair
    return replace(
        pair,
        reference=golden.stored,
        rule=golden.rule,
        note="",
        layout=golden.layout,
        shape=golden.shape if golden.shape else None,
        qparams=meaning.qparams,
    )


def _is_real(stored: Stored | None) -> bool:
    return stored is not None and "float" in stored.info.dtype


def _holds_codes(operator: Operator, is_input: bool) -> bool:
    """Whether the values are quantized ones, which are not those of the original model."""
    if operator.in_quantized_pair:
        return True
    return is_dequantizing(operator) if is_input else operator.op_type == QUANTIZING


def is_unreadable(info: TensorInfo) -> bool:
    return info.dtype in _UNREADABLE and 0 not in info.shape


# Mapping of the files that would be compared, read no further than their heads: msaccucmp's `-map`.


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
