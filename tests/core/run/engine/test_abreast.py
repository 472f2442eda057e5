"""Works that share, and end together."""

import threading
from functools import partial

import pytest

from errorflow.run.engine.abreast import Beside, Here, SharedTurn, abreast


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_one_at_a_time_but_where_the_turn_is_lent(threads: int) -> None:
    turn, inside, most, done = SharedTurn(), [0], [0], []

    def work(number: int) -> None:
        for _ in range(50):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1
            with turn.lent():
                pass
        done.append(number)

    abreast([partial(work, number) for number in range(7)], threads, turn)
    assert most == [1] and sorted(done) == list(range(7))


def test_those_that_lend_run_at_the_same_time() -> None:
    turn, both = SharedTurn(), threading.Barrier(2, timeout=60)

    def work() -> None:
        with turn.lent():
            both.wait()

    abreast([work, work], 2, turn)
    assert not both.broken


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_leaves_what_has_not_begun_and_nobody_in_the_turn(threads: int) -> None:
    turn, before = SharedTurn(), threading.active_count()
    done: list[int] = []

    def fails() -> None:
        with turn.lent():
            raise ValueError

    with pytest.raises(ValueError):
        abreast([fails, *[partial(done.append, 1)] * 100], threads, turn)
    assert threads == 2 or not done
    with turn:
        assert threading.active_count() == before


@pytest.mark.parametrize("kind", [Beside, Here])
def test_what_is_done_beside_is_done_in_order_and_at_the_end(kind: type[Beside] | type[Here]) -> None:
    done: list[int] = []
    with kind() as measurer:
        for number in range(20):
            measurer.take(partial(done.append, number))
    assert done == list(range(20))


@pytest.mark.parametrize("kind", [Beside, Here])
def test_its_errors_come_up(kind: type[Beside] | type[Here]) -> None:
    def fails() -> None:
        raise ValueError

    with pytest.raises(ValueError), kind() as measurer:
        measurer.take(fails)
