"""Progress is told to whoever wants to know, and nobody by default."""

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Cancelled, Progress


class Stop:
    """Cancels at the given step."""

    def __init__(self, at: int) -> None:
        self.at = at

    def step(self, done: int, total: int, text: str) -> None:
        if done == self.at:
            raise Cancelled


def work(progress: Progress) -> int:
    done = 0
    try:
        for done in range(10):
            progress.step(done, 10, "counting")
    except Cancelled:
        return -done
    return done


def test_silence_lets_work_run_to_its_end() -> None:
    assert work(SILENT) == 9


def test_a_cancel_strikes_at_the_step() -> None:
    assert work(Stop(at=4)) == -4


def test_a_cancel_is_no_error_that_a_reader_could_swallow() -> None:
    assert not issubclass(Cancelled, ErrorflowError | OSError | ValueError)
