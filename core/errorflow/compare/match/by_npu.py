"""Two dumps of NPUs without a model: operators of the same name, in the order in which the candidate ran them."""

from collections.abc import Iterator, Sequence

from errorflow.base import SILENT, Progress, dataclass, replace, stepwise
from errorflow.compare.match import codes
from errorflow.compare.match.by_fusion import NAN, is_unreadable
from errorflow.compare.match.model import BOTH_NPU, Listed, Match, Pair
from errorflow.compare.match.sides import ComparedRun, Operation
from errorflow.formats.ge_names import dtype_number
from errorflow.graph.dump import Stored

RULE = "operator-name"
# The vendor's tool says nothing of a dump that it cannot read.
_UNREAD = ""


@dataclass(frozen=True, slots=True)
class _Lines:
    pairs: tuple[Pair, ...]
    code: int = codes.OK
    matches: bool = False

    def typed(self, op_type: str) -> "_Lines":
        """Adds the operator's type also where its tensors cannot be compared."""
        pairs = tuple(pair if pair.op_type else replace(pair, op_type=op_type) for pair in self.pairs)
        return replace(self, pairs=pairs)


def match_npu_runs(candidate: ComparedRun, reference: ComparedRun, progress: Progress = SILENT) -> Match:
    """The operators of the candidate by time, then those that only the reference has."""
    ours, theirs = set(candidate.names()), set(reference.names())
    order = [*_by_time(candidate, progress), *(name for name in _by_time(reference, progress) if name not in ours)]
    found: list[_Lines] = []
    for at, name in enumerate(order):
        progress.step(at, len(order), name)
        mine, golden = candidate.operation(name), reference.operation(name)
        found.append(_lines(at, name, mine, golden).typed(_type_of(mine, golden)))
    code = next((lines.code for lines in found if lines.code), codes.OK)
    if not any(lines.matches for lines in found):
        code = codes.NO_DUMP
    return Match(
        tuple(pair for lines in found for pair in lines.pairs),
        only_reference=tuple(name for name in order if name not in ours),
        only_candidate=tuple(name for name in order if name not in theirs),
        exit_code=code,
    )


def _by_time(run: ComparedRun, progress: Progress) -> list[str]:
    names = stepwise(run.names(), progress, "Reading heads")
    times = {name: operation.timestamp for name in names if (operation := run.operation(name)) is not None}
    return sorted(times, key=lambda name: times[name])


def _lines(index: int, name: str, mine: Operation | None, golden: Operation | None) -> _Lines:
    if mine is None or golden is None:
        return _one_sided(index, name, mine, golden)
    refused = _unread(mine)
    if refused is None:
        refused = _unread(golden)
    if refused is not None:
        listed = Listed(index, NAN, name, name, NAN, reason=refused, measured=False)
        both = {"candidate": mine, "reference": golden}
        broken = next((side for side, run in both.items() if run.problem), "")
        note = both[broken].problem if broken else "msaccucmp cannot read all of it"
        return _Lines(
            (replace(_empty(name, listed, note), broken=broken), *_unlisted(name, mine, golden)),
            codes.BROKEN_DUMP,
            matches=True,
        )
    sides = (("input", mine.inputs, golden.inputs), ("output", mine.outputs, golden.outputs))
    reasons = [_misfit(name, side, ours, theirs) for side, ours, theirs in sides]
    full = mine.full_name if mine.full_name else name
    if all(reasons):
        said = ["This is a FFTS+ mode dump data, The number of files does not match the number of thread"]
        text = ",".join([*(said if mine.incomplete else []), *reasons])
        empty = _empty(name, Listed(index, NAN, full, full, NAN, reason=text, measured=False), _note(mine, golden))
        return _Lines((empty, *_unlisted(name, mine, golden)), codes.BROKEN_DUMP, matches=True)
    pairs = [
        pair
        for (side, ours, theirs), reason in zip(sides, reasons, strict=True)
        for pair in _tensors(f"{full}:{side}", ours, theirs, None if reason else (index, full, mine, golden))
    ]
    return _Lines(tuple(pairs), matches=True)


def _type_of(*operations: Operation | None) -> str:
    """Names the type as the files of the dumps do."""
    return next((each.op_type for each in operations if each is not None and each.op_type), "")


def _unread(operation: Operation) -> str | None:
    """Says what msaccucmp says of an operator that it cannot read; None where it can."""
    if operation.problem or operation.older_is_broken:
        return _UNREAD
    for stored in (*operation.inputs, *operation.outputs):
        if is_unreadable(stored.info):
            return f"The output data type ({dtype_number(stored.info.dtype)}) does not support."
    return None


def _misfit(name: str, side: str, ours: Sequence[Stored], theirs: Sequence[Stored]) -> str:
    """Says why the tensors of one side cannot be compared one by one, in msaccucmp's words."""
    if len(ours) != len(theirs):
        return f"[{name}] The number of {side} does not match ({len(ours)} vs {len(theirs)})."
    if not ours:
        return f"[{name}] There is no {side}. Skip the {name}:{side}."
    for index, (mine, golden) in enumerate(zip(ours, theirs, strict=True)):
        if mine.info.shape != golden.info.shape:
            shapes = f"{_text(mine.info.shape)} vs {_text(golden.info.shape)}"
            return f"[{name}] The shape does not match ({shapes}) for {name}:{side}:{index}."
    return ""


def _note(mine: Operation, golden: Operation) -> str:
    """The same in few words, to be counted."""
    sides = ((mine.inputs, golden.inputs), (mine.outputs, golden.outputs))
    if any(len(ours) != len(theirs) for ours, theirs in sides):
        return "the runs have different numbers of its tensors"
    return "the shapes differ" if any(ours for ours, _ in sides) else "it has no tensors"


def _text(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def _tensors(
    prefix: str, ours: Sequence[Stored], theirs: Sequence[Stored], listing: tuple[int, str, Operation, Operation] | None
) -> Iterator[Pair]:
    """A pair for every tensor that at least one of the runs has; msaccucmp lists none of them without `listing`."""
    for at in range(max(len(ours), len(theirs))):
        mine = ours[at] if at < len(ours) else None
        golden = theirs[at] if at < len(theirs) else None
        tensor = f"{prefix}:{at}"
        note = "only in the reference" if mine is None else "only in the candidate" if golden is None else ""
        listed = None if listing is None else _listed(tensor, *listing)
        yield Pair(
            tensor,
            mine,
            golden,
            rule="" if note else RULE,
            note=note,
            way=BOTH_NPU,
            node=prefix.rpartition(":")[0],
            op_type="" if listing is None else listing[2].op_type,
            listed=listed,
        )


def _listed(tensor: str, index: int, name: str, mine: Operation, golden: Operation) -> Listed:
    op_type = mine.op_type if mine.op_type else NAN
    return Listed(index, op_type, name, name, tensor, candidate_path=mine.path, reference_path=golden.path)


def _unlisted(name: str, mine: Operation, golden: Operation) -> tuple[Pair, ...]:
    return (
        *_tensors(f"{name}:input", mine.inputs, golden.inputs, None),
        *_tensors(f"{name}:output", mine.outputs, golden.outputs, None),
    )


def _one_sided(index: int, name: str, mine: Operation | None, golden: Operation | None) -> _Lines:
    nothing = Operation(name, "", "")
    lacking = "my output" if mine is None else "ground truth"
    reason = f'[{name}] There is no the {lacking} dump file for the op "{name}".'
    candidates, references = ("*", name) if mine is None else (name, "*")
    listed = Listed(index, NAN, candidates, references, NAN, reason=reason, measured=False)
    empty = _empty(name, listed, "only in the reference" if mine is None else "only in the candidate")
    rest = _unlisted(name, nothing if mine is None else mine, nothing if golden is None else golden)
    return _Lines((empty, *rest), codes.NO_DUMP)


def _empty(name: str, listed: Listed, note: str) -> Pair:
    return Pair(name, None, None, note=note, node=name, listed=listed)
