"""Measures two runs: all pairs of a match, by as many processes as that is worth."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from errorflow.base import SILENT, Progress, dataclass, field
from errorflow.base.allowance import memory
from errorflow.compare.executors import Alone, PairExecutor, Processes
from errorflow.compare.journal import Journal
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.measure import Fault, unmeasured
from errorflow.compare.model import Comparison, Options, Row
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.npu import NpuFolder
from errorflow.graph.dump import Dump

# Less than this is done before other processes would have started.
LITTLE_BYTES = 64 << 20


def compare(reference: Dump, candidate: Dump, progress: Progress = SILENT, *, workers: int | None = None) -> Comparison:
    """Pairs the tensors of both runs by their names and measures each pair.

    With more than a little to do, by `workers` processes, as many as the machine has cores unless it is said. A script
    calls this below `if __name__ == "__main__":`, since each process begins by importing it; 1 needs no other process.
    """
    match = match_by_name(reference, candidate, progress)
    return compare_match(match, crew=crew_for(match, workers), progress=progress)


# Hands pairs to a crew, a few at a time, and collects their rows; memory stays bounded however large the dumps are.

# Pairs travel together up to these bytes.
BATCH_BYTES = 8 << 20
# Progress and cancel are looked after at least this often, in seconds.
TICK = 0.05
# A pair whose process died is tried once more, alone.
DIED = "its process was ended from outside, probably for lack of memory"

_log = logging.getLogger(__name__)
OnRow = Callable[[int, Row], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """Numbers of pairs that travel together, and the bytes that reading them takes at most at a time."""

    numbers: tuple[int, ...]
    need: int
    alone: bool = False


def rows_of(
    pairs: Sequence[Pair],
    options: Options,
    crew: PairExecutor,
    *,
    known: Mapping[int, Row] | None = None,
    on_row: OnRow | None = None,
    progress: Progress = SILENT,
) -> list[Row]:
    """A row per pair, in their order. `known` are rows that need not be measured; each new one is told to `on_row`."""
    found: dict[int, Row] = dict({} if known is None else known)
    missing = [number for number in range(len(pairs)) if number not in found]
    shift = _Shift(pairs, options, crew, deque(batches(pairs, missing, crew.together)))
    try:
        for number, row in shift.results(lambda tensor: progress.step(len(found), len(pairs), tensor)):
            found[number] = row
            if on_row is not None:
                on_row(number, row)
    finally:
        crew.stop()
        if options.printer is not None:
            options.printer.end()
    progress.step(len(pairs), len(pairs), "")
    return [found[number] for number in range(len(pairs))]


def batches(pairs: Sequence[Pair], numbers: Iterable[int], most: int) -> Iterator[Batch]:
    """The pairs of these numbers, packed."""
    together: list[int] = []
    largest = total = 0
    for number in numbers:
        need = size_of(pairs[number])
        if together and (len(together) == most or total + need > BATCH_BYTES):
            yield Batch(tuple(together), largest)
            together, largest, total = [], 0, 0
        together.append(number)
        largest, total = max(largest, need), total + need
    if together:
        yield Batch(tuple(together), largest)


def size_of(pair: Pair) -> int:
    """The bytes of both tensors; 0 where there is nothing to measure."""
    if pair.candidate is None or pair.reference is None:
        return 0
    return pair.candidate.info.nbytes + pair.reference.info.nbytes


@dataclass(slots=True)
class _Shift:
    """Work that is left and work that is being done."""

    pairs: Sequence[Pair]
    options: Options
    crew: PairExecutor
    waiting: deque[Batch]
    running: dict[Future[list[Row | Fault]], Batch] = field(default_factory=dict)
    # Of all tensors that are held at a time, in all processes; one pair alone may be larger.
    memory: int = field(default_factory=memory)

    def results(self, tick: Callable[[str], None]) -> Iterator[tuple[int, Row]]:
        while self.waiting or self.running:
            tick(self._next())
            self._hand_out()
            done, _ = wait(self.running, TICK, FIRST_COMPLETED)
            if any(isinstance(future.exception(), self.crew.lost) for future in done) and self.crew.restart():
                yield from self._pick_up()
                continue
            for future in done:
                batch, error = self.running.pop(future), future.exception()
                if error is None:
                    yield from map(self._row, batch.numbers, future.result())
                else:
                    yield from self._one_by_one(batch, error)

    def _row(self, number: int, found: Row | Fault) -> tuple[int, Row]:
        if isinstance(found, Row):
            return number, found
        pair = self.pairs[number]
        _log.error("%s could not be measured:\n%s", pair.tensor, found.trace)
        return number, unmeasured(pair, found.note)

    def _next(self) -> str:
        """Name of what is being worked on, for the reader."""
        batch = next(iter(self.running.values()), None) or self.waiting[0]
        return self.pairs[batch.numbers[0]].tensor

    def _hand_out(self) -> None:
        while self.waiting and self._fits(self.waiting[0]):
            batch = self.waiting.popleft()
            try:
                future = self.crew.submit([self.pairs[number] for number in batch.numbers], self.options)
            except self.crew.lost as error:  # a process died while nobody waited for it
                future = Future()
                future.set_exception(error)
            self.running[future] = batch

    def _one_by_one(self, batch: Batch, error: BaseException) -> Iterator[tuple[int, Row]]:
        """A batch that came to nothing where all others go on: its pairs are tried again, each by itself."""
        if isinstance(error, OSError) or not isinstance(error, Exception):
            raise error  # nobody is there any more who could try
        if len(batch.numbers) > 1:
            self.waiting.extendleft(Batch((number,), batch.need) for number in reversed(batch.numbers))
        elif isinstance(error, self.crew.lost):
            yield batch.numbers[0], unmeasured(self.pairs[batch.numbers[0]], DIED)
        else:
            yield self._row(batch.numbers[0], Fault.of(error))

    def _fits(self, batch: Batch) -> bool:
        if not self.running:
            return True
        if batch.alone or any(other.alone for other in self.running.values()):
            return False
        used = sum(other.need for other in self.running.values())
        return len(self.running) < self.crew.most and used + batch.need <= self.memory

    def _pick_up(self) -> Iterator[tuple[int, Row]]:
        """A process died, and with it all that was under way: try that again, pair by pair, to see which one it was."""
        batches = list(self.running.values())
        self.running.clear()
        for batch in reversed(batches):
            if batch.alone:
                for number in batch.numbers:
                    yield number, unmeasured(self.pairs[number], DIED)
            else:
                singles = [Batch((number,), batch.need, alone=True) for number in batch.numbers]
                self.waiting.extendleft(reversed(singles))


def compare_match(
    match: Match,
    options: Options | None = None,
    *,
    crew: PairExecutor | None = None,
    journal: Journal | None = None,
    known: Mapping[int, Row] | None = None,
    on_row: OnRow | None = None,
    progress: Progress = SILENT,
) -> Comparison:
    """Measures each pair, by this process or as many as the machine has cores, or by the crew that is given.

    A journal that is open keeps what was measured if this process ends before it is done. Without one, `known` are rows
    that need not be measured again, by their numbers, and `on_row` is told each new one.
    """
    pairs = match.pairs
    options = Options() if options is None else options
    rows = rows_of(
        pairs,
        options,
        crew_for(match, apart=bool(options.custom)) if crew is None else crew,
        known=known if journal is None else journal.known,
        on_row=on_row if journal is None else journal.add,
        progress=progress,
    )
    return Comparison(tuple(rows))


def crew_for(match: Match, workers: int | None = None, *, apart: bool = False) -> PairExecutor:
    """Makes as many processes as there are cores, or as wanted; little work is done at once.

    `apart`: never by this process, since code of the user's runs, which may hang when the work is cancelled.
    """
    if apart:
        return Processes(workers)
    if workers == 1 or (workers is None and sum(map(size_of, match.pairs)) < LITTLE_BYTES):
        return Alone()
    return Processes(workers)


def journal_in(folder: Path, match: Match, options: Options, *, resume: bool) -> Journal:
    """The journal of this comparison in the folder where its results will be."""
    return Journal(folder, match.pairs, options, resume=resume)


def match_by_name(reference: Dump, candidate: Dump, progress: Progress = SILENT) -> Match:
    """Pairs in the order of the reference, then what only the candidate has."""
    for dump in (reference, candidate):
        if isinstance(dump, FolderDump | NpuFolder):
            dump.look(progress)
    ours, theirs = dict.fromkeys(reference.names()), dict.fromkeys(candidate.names())
    pairs = []
    for name in ours | theirs:
        r = reference.stored(name) if name in ours else None
        c = candidate.stored(name) if name in theirs else None
        note = "only in the reference" if c is None else "only in the candidate" if r is None else ""
        pairs.append(Pair(name, c, r, rule="" if note else "tensor-name", note=note))
    return Match(
        tuple(pairs),
        only_reference=tuple(name for name in ours if name not in theirs),
        only_candidate=tuple(name for name in theirs if name not in ours),
    )
