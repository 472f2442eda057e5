"""How far one process is, as another sees it, and that it stops."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errorflow.base.progress import Cancelled
from errorflow.run.engine.meter import PATIENCE, EngineMeter, Watch


@pytest.fixture
def meter(tmp_path: Path) -> Iterator[EngineMeter]:
    with closing(EngineMeter(tmp_path)) as found:
        yield found


class _Seen:
    """A progress that notes what it is told, and cancels if it is to."""

    def __init__(self, cancels: bool = False) -> None:
        self.seen: list[tuple[int, int, str]] = []
        self._cancels = cancels

    def step(self, done: int, total: int, text: str) -> None:
        self.seen.append((done, total, text))
        if self._cancels:
            raise Cancelled


def test_what_one_tells_the_other_sees_call_after_call(tmp_path: Path, meter: EngineMeter) -> None:
    seen = _Seen()
    watch = Watch(seen, tmp_path, "Working")
    meter.step(123, 456)
    watch.step(0, 0, "")
    watch.reset()
    watch.step(0, 0, "")
    meter.step(7, 8)
    watch.step(0, 0, "")
    assert seen.seen == [(123, 456, "Working"), (0, 0, "Working"), (7, 8, "Working")]


def test_nothing_was_told_yet(tmp_path: Path) -> None:
    seen = _Seen()
    Watch(seen, tmp_path, "Working").step(0, 0, "")
    assert seen.seen == [(0, 0, "Working")]


def test_a_cancel_is_told_first_and_ends_the_process_when_it_does_not_listen(
    tmp_path: Path, meter: EngineMeter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("errorflow.run.engine.meter.monotonic", lambda: now[0])
    watch = Watch(_Seen(cancels=True), tmp_path, "Working")
    watch.step(0, 0, "")
    with pytest.raises(Cancelled):
        meter.step(1, 2)
    now[0] = PATIENCE * 0.9
    watch.step(0, 0, "")
    now[0] = PATIENCE * 1.1
    with pytest.raises(Cancelled):
        watch.step(0, 0, "")


def test_the_next_call_is_not_cancelled(tmp_path: Path, meter: EngineMeter) -> None:
    Watch(_Seen(cancels=True), tmp_path, "Working").step(0, 0, "")
    with pytest.raises(Cancelled):
        meter.step(1, 2)
    seen = _Seen()
    watch = Watch(seen, tmp_path, "Working")
    watch.reset()
    meter.step(1, 2)
    watch.step(0, 0, "")
    assert seen.seen == [(1, 2, "Working")]
