"""The reference's tensor for a tensor of the compiled model: msaccucmp's own answer, and where it has none, guesses."""

from collections.abc import Iterator
from functools import cached_property

from errorflow.base import ErrorflowError, dataclass, replace
from errorflow.compare.match.fusion.follow import OriginTrace, RecordedOrigin, guesses, trace
from errorflow.compare.match.fusion.table import FusionTable, Operator
from errorflow.compare.match.sides import ComparedRun, is_npu
from errorflow.formats.folders.scan import stem_of
from errorflow.formats.npu.names import written
from errorflow.graph.dump import Stored


@dataclass(frozen=True, slots=True)
class Golden:
    """A tensor of the reference, the rule that found it, and what msaccucmp says instead: None where it finds the
    same.
    """

    stored: Stored | None = None
    rule: str = ""
    layout: str = ""
    shape: tuple[int, ...] = ()
    path: str = ""
    # "" is a sentence too: it prints none.
    reason: str | None = None
    note: str = ""
    # The operator and output that the trace ended at.
    producer: tuple[Operator, int] | None = None


class Goldens:
    """Finds them, and remembers which tensors of the reference were asked for."""

    def __init__(self, table: FusionTable, reference: ComparedRun) -> None:
        self._table = table
        self._reference = reference
        self._npu = is_npu(reference)
        self.used: set[str] = set()

    def find(self, operator: Operator, index: int, is_input: bool) -> Golden:
        found = trace(self._table, operator, index, is_input)
        tensor = f"{operator.name}:{'input' if is_input else 'output'}:{index}"
        usual = f"[{operator.name}] There is no the ground truth dump file for {tensor}."
        golden = self._by_the_book(found, usual)
        if golden.stored is None and not golden.note:
            other = next(self._otherwise(found, operator, index, is_input), None)
            golden = golden if other is None else replace(other, reason=golden.reason, producer=golden.producer)
        return golden

    def at(self, origin: RecordedOrigin) -> Golden:
        """The reference's tensor of that name, if it has it; found by the origin's own rule, or by a similar name."""
        return next(self._looked_up(origin), Golden())

    def path(self, operator: Operator, index: int, is_input: bool) -> str:
        """The file that msaccucmp would read; "" for none."""
        found = trace(self._table, operator, index, is_input).origin
        return "" if found is None else self._reference.file(written(found.name), found.index)

    def _by_the_book(self, found: OriginTrace, usual: str) -> Golden:
        reason = usual if found.reason is None else found.reason
        if found.origin is None:
            return Golden(reason=reason, producer=found.producer)
        key = written(found.origin.name)
        try:
            golden = self._at(found.origin, key)
        except ErrorflowError as error:
            return Golden(reason="", note=error.message, producer=found.producer)
        if golden is None:
            # It does not say so where the operator is there and has fewer outputs.
            is_there = self._npu and self._reference.operation(key) is not None
            return Golden(reason="" if is_there else reason, producer=found.producer)
        return replace(golden, producer=found.producer, reason="" if self._is_unread(key) else None)

    def _otherwise(self, found: OriginTrace, operator: Operator, index: int, is_input: bool) -> Iterator[Golden]:
        again = trace(self._table, operator, index, is_input, by_last_colon=True)
        if again.by_last_colon and again.origin is not None:
            yield from self._looked_up(replace(again.origin, rule="colon-name"))
        if found.origin is not None:
            yield from self._looked_up(found.origin)
        for guess in guesses(self._table, again):
            yield from self._looked_up(guess)

    def _looked_up(self, origin: RecordedOrigin) -> Iterator[Golden]:
        for key, rule in ((written(origin.name), origin.rule), (self._plain(origin), "written-name")):
            try:
                golden = None if key is None else self._at(origin, key)
            except ErrorflowError:
                continue
            if golden is not None:
                yield replace(golden, rule=rule)

    def _at(self, origin: RecordedOrigin, key: str) -> Golden | None:
        stored = self._reference.tensor(key, origin.index)
        if stored is None:
            return None
        self.used.add(key if self._npu else f"{key}.{origin.index}")
        if self._npu:
            info = stored.info
            return Golden(stored, origin.rule, info.layout, info.shape, self._reference.file(key, origin.index))
        return Golden(stored, origin.rule, origin.layout, origin.shape, stored.path)

    def _is_unread(self, key: str) -> bool:
        """Whether msaccucmp stumbles over an older dump of the operator."""
        operation = self._reference.operation(key) if self._npu else None
        return operation is not None and operation.older_is_broken

    def _plain(self, origin: RecordedOrigin) -> str | None:
        """The name on disk that is the origin's once all special characters are replaced in both."""
        name = stem_of(origin.name)
        key = self._plain_names.get(name if self._npu else f"{name}.{origin.index}")
        if key is None or self._npu:
            return key
        return key.rpartition(".")[0]

    @cached_property
    def _plain_names(self) -> dict[str, str | None]:
        """Names with all special characters replaced; None where several are the same then."""
        names: dict[str, str | None] = {}
        for name in self._reference.names():
            head, dot, index = ("", "", name) if self._npu else name.rpartition(".")
            plain = stem_of(name) if self._npu else f"{stem_of(head)}{dot}{index}"
            names[plain] = None if plain in names else name
        return names
