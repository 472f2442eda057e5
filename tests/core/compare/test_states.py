"""What no number may hide of a pair of tensors."""

import numpy as np
import pytest

from errorflow.compare.match.reasons import BETWEEN
from errorflow.compare.metrics.measure import measure
from errorflow.compare.metrics.states import State
from errorflow.compare.model import PENDING, Row
from errorflow.compare.states import state_texts, states_of
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams

NONE = State(0)


def row(reference: object, candidate: object, dtype: str = "float32", qparams: QParams | None = None) -> Row:
    """As the pair would be measured; numpy lacks some types, whose values come as float32."""
    golden = np.array(reference, np.float32)
    mine = np.array(candidate, dtype if dtype in ("float16", "int8", "int16") else np.float32)
    found = measure(golden, mine, qparams=qparams)
    info = TensorInfo("t", dtype, mine.shape, mine.nbytes, qparams=qparams)
    other = TensorInfo("t", "float32", mine.shape, mine.nbytes)
    return Row("t", other, info, found.values, reference_side=found.reference, candidate_side=found.candidate)


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (row([1, 2], [1, 2]), NONE),
        (row([1, 2], [1, np.nan]), State.NAN),
        (row([1, np.nan], [1, np.nan]), NONE),
        (row([1, 2], [1, np.inf]), State.INF),
        (row([1, 2], [0, 0]), State.ZERO),
        (row([0, 0], [0, 0]), NONE),
        (row([1, 2], [3, 3]), State.CONSTANT),
        (row([3, 3], [3, 3]), NONE),
        (row([1, 2], [-1, -2]), State.FLIPPED),
        (row([1, 70000], [1, np.inf], "float16"), State.INF | State.OVERFLOW),
        (row([1, 2], [1, np.inf], "float16"), State.INF),
        (row([1, 70000], [1, 65504], "float16"), State.SATURATED),
        (row([1, 65504], [1, 65504], "float16"), NONE),
        (row([1, 3.4e38], [1, np.inf], "bfloat16"), State.INF | State.OVERFLOW),
        (row([1, 500], [1, np.nan], "float8_e4m3fn"), State.NAN | State.OVERFLOW),
        (row([1, 300], [1, 44], "int8"), State.OVERFLOW),
        (row([1, 300], [1, 127], "int8"), State.SATURATED),
        (row([1, 127], [1, 127], "int8"), NONE),
        (row([1, 20], [1, 12.7], "float32", QParams((0.1,))), State.SATURATED),
        (row([1, 12.7], [1, 12.7], "float32", QParams((0.1,))), NONE),
        (row([1, 12.74], [1, 12.7], "float32", QParams((0.1,))), NONE),
        (Row("t", None, None, values={"cosine": 1.0}, overflows=True), State.OVERFLOW),
        (Row("t", None, TensorInfo("t", "int8", (1,), 1)), State.MISSING),
        (Row("t", TensorInfo("t", "int8", (1,), 1), TensorInfo("t", "int8", (2,), 2)), State.INCOMPARABLE),
        (Row("t", None, TensorInfo("t", "int8", (1,), 1), note=BETWEEN), State.INCOMPARABLE),
        (Row("t", None, None, note=PENDING), NONE),
    ],
)
def test_a_row_is_in_the_states_of_its_candidate(made: Row, state: State) -> None:
    assert states_of(made) == state


def test_a_few_values_that_are_cut_off_are_no_state() -> None:
    many = np.ones(2000)
    many[0] = 20
    assert states_of(row(many, np.minimum(many, 12.7), qparams=QParams((0.1,)))) == NONE


def test_words_of_several_states_stand_side_by_side() -> None:
    assert (State.NAN | State.FLIPPED).words == "NaN, sign flipped"
    assert NONE.words == ""


@pytest.mark.parametrize("state", [state for state in State if state < State.MISSING])
def test_tables_use_the_words_of_the_states(state: State) -> None:
    samples = {
        State.NAN: row([1, 2], [1, np.nan]),
        State.INF: row([1, 2], [1, np.inf]),
        State.OVERFLOW: row([1, 300], [1, 44], "int8"),
        State.SATURATED: row([1, 300], [1, 127], "int8"),
        State.ZERO: row([1, 2], [0, 0]),
        State.CONSTANT: row([1, 2], [3, 3]),
        State.FLIPPED: row([1, 2], [-1, -2]),
    }
    assert any(state.words in text for text in state_texts(samples[state]))
