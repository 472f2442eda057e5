"""States that no number may hide, as bits: of a tensor, and of a node those of all that it makes."""

from enum import IntFlag


class State(IntFlag):
    """States of a tensor or a node."""

    NAN = 1
    INF = 2
    OVERFLOW = 4
    SATURATED = 8
    ZERO = 16
    CONSTANT = 32
    FLIPPED = 64
    # Nothing was measured: there is no dump of it.
    MISSING = 128
    # Nothing was measured although both are there: shapes differ, or the values are codes without a scale.
    INCOMPARABLE = 256

    @property
    def words(self) -> str:
        """Words of one state; of several, one after the other."""
        return ", ".join(_WORDS[state] for state in State if state in self)


_WORDS = {
    State.NAN: "NaN",
    State.INF: "infinite",
    State.OVERFLOW: "overflow",
    State.SATURATED: "saturated",
    State.ZERO: "all zero",
    State.CONSTANT: "constant",
    State.FLIPPED: "sign flipped",
    State.MISSING: "missing",
    State.INCOMPARABLE: "not comparable",
}
