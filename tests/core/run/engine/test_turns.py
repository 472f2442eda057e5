"""Turns: one at a time, in the order in which they came."""

import threading

import pytest

from errorflow.base.progress import Cancelled
from errorflow.run.engine.turns import Turns


def test_who_asks_again_and_again_lets_others_have_their_turn() -> None:
    turns, order, waiting, over = Turns(), list[str](), threading.Event(), threading.Event()

    def other() -> None:
        waiting.set()
        with turns.turn(lambda: None):
            order.append("other")
        over.set()

    thread = threading.Thread(target=other)
    with turns.turn(lambda: None):
        thread.start()
        waiting.wait(10)
        while len(turns._queue) < 2:  # the other one is about to stand in line
            pass
    for _ in range(1000):
        with turns.turn(lambda: None):
            order.append("busy")
    thread.join(10)
    assert over.is_set()
    assert order[0] == "other"


def test_who_waits_may_give_up() -> None:
    turns = Turns()

    def gives_up() -> None:
        raise Cancelled

    with turns.turn(lambda: None), pytest.raises(Cancelled), turns.turn(gives_up):
        pass
    with turns.turn(gives_up):  # nobody is before it
        pass
