"""Converts dumps in bulk: on all cores, one broken one without harm to the others, and stopped at any time."""

import logging
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path

from errorflow.base.allowance import cores
from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import write_atomic
from errorflow.base.progress import SILENT, Cancelled, Progress
from errorflow.base.values import dataclass, field
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.report.array_file import make_folder
from errorflow.report.converted import Check, ConversionRequest, WrittenDump, write_dump

MAPPING = "mapping.csv"
FAILED = "convert_failed_file_list.txt"
# Files that large are converted one at a time, so that memory is never filled by several.
LARGE_BYTES = 256 * 1024 * 1024
_ROUND_SECONDS = 0.1
# Dumps that wait for a thread, for each of them.
_AHEAD = 4
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Stop:
    """Stop sign, set once; each worker looks at it between two steps."""

    asked: bool = False

    def check(self) -> None:
        if self.asked:
            raise Cancelled


@dataclass(frozen=True, slots=True)
class ConversionOutcome:
    """Results of all dumps, in the order of their names; `code` is what msaccucmp ends with."""

    written: Sequence[WrittenDump]
    code: int = field(default=codes.OK)

    @property
    def files(self) -> int:
        return sum(len(made.files) for made in self.written)

    @property
    def failed(self) -> Sequence[WrittenDump]:
        return [made for made in self.written if made.failures]


def dumps_in(text: str) -> tuple[list[Path], bool]:
    """The dump files that `-d` names: one, several with commas between, or all in a folder; and whether it is one."""
    if "," in text:
        found = [path for part in text.split(",") if (path := Path(part.strip())).is_file()]
        if not found:
            raise FileError(f"None of the files in {text} exists.", "Check the paths between the commas.")
        return found, len(found) == 1
    path = Path(text)
    if not path.exists():
        raise FileError(f"There is no file {text}.", "Check the path; it may have been moved or deleted.")
    if not path.is_dir():
        return [path], True
    try:
        found = sorted(file for file in path.iterdir() if file.name != MAPPING and file.is_file())
    except OSError as error:
        raise FileError(f"{text} could not be read: {error.strerror}.", "Ask its owner for permission.") from error
    if not found:
        raise RefusedError(
            f"There are no files in {text}.", "Name the folder that the dumps lie in.", codes.WRONG_OPTIONS
        )
    return found, False


def convert_dumps(
    dumps: Sequence[Path], wish: ConversionRequest, *, one: bool, workers: int = 0, progress: Progress = SILENT
) -> ConversionOutcome:
    """Writes what is wished for from each dump; `workers` threads, 0: one per core."""
    make_folder(wish.out)
    made = _run(dumps, wish, workers if workers > 0 else cores(), progress)
    _append(wish.out / MAPPING, (f"{short},{name}" for item in made for short, name in item.renamed))
    if not one:
        _append(wish.out / FAILED, (_failed_line(item, wish) for item in made if item.failures))
    return ConversionOutcome(made, next((item.code for item in made if item.failures), codes.OK))


def _run(dumps: Sequence[Path], wish: ConversionRequest, workers: int, progress: Progress) -> list[WrittenDump]:
    large = [at for at, dump in enumerate(dumps) if _size(dump) > LARGE_BYTES]
    small = [at for at in range(len(dumps)) if at not in set(large)]
    made: dict[int, WrittenDump] = {}
    for group, count in ((small, workers), (large, 1)):
        _run_group(dumps, group, wish, count, made, progress)
    return [made[at] for at in range(len(dumps))]


def _write(dump: Path, wish: ConversionRequest, check: Check) -> WrittenDump:
    try:
        return write_dump(dump, wish, check)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary of a thread: whatever it is, the other dumps go on
        _log.exception("%s could not be converted", dump)
        told = " ".join(f"{type(error).__name__}: {error}".split())
        failure = ErrorflowError(f"Converting it failed inside Errorflow ({told}).", "Please report it.")
        return WrittenDump(dump, failures=[("", failure)], code=codes.UNKNOWN)


def _size(dump: Path) -> int:
    try:
        return dump.stat().st_size
    except OSError:
        return 0  # reading it will tell


def _run_group(
    dumps: Sequence[Path],
    group: Sequence[int],
    wish: ConversionRequest,
    workers: int,
    made: dict[int, WrittenDump],
    progress: Progress,
) -> None:
    stop = _Stop()
    coming = iter(group)
    with ThreadPoolExecutor(workers) as pool:
        waiting: dict[Future[WrittenDump], int] = {}
        try:
            while True:
                for at in islice(coming, _AHEAD * workers - len(waiting)):
                    waiting[pool.submit(_write, dumps[at], wish, stop.check)] = at
                if not waiting:
                    return
                done, _ = wait(waiting, _ROUND_SECONDS, FIRST_COMPLETED)
                for future in done:
                    made[waiting.pop(future)] = future.result()
                progress.step(len(made), len(dumps), "Converting dumps")
        except BaseException:
            stop.asked = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _failed_line(made: WrittenDump, wish: ConversionRequest) -> str:
    whole = str(made.dump.resolve())
    parts = [what for what, _ in made.failures if what] if wish.layout else []
    return ",".join((whole, *parts))


def _append(path: Path, lines: Iterable[str]) -> None:
    new = "".join(f"{line}\n" for line in lines)
    if new:
        old = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        write_atomic(path, old + new, follow=False)
