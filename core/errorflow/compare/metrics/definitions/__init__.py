"""What the numbers in other tools' tables are: the same name often stands for another formula.

An imported number is shown under its own definition; where it is one of ours in disguise, `ours` turns it into that.
To add one: a row in the vendor's file, and run `python docs/tables.py`.
"""

from errorflow.compare.metrics.definitions.ascend import AMCT, MSACCUCMP, MSPROBE
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.metrics.definitions.errorflow import ERRORFLOW
from errorflow.compare.metrics.definitions.horizon import HORIZON
from errorflow.compare.metrics.definitions.others import OTHERS, TPU_MLIR
from errorflow.compare.metrics.definitions.pulsar2 import PULSAR2
from errorflow.compare.metrics.definitions.rknn import RKNN

__all__ = ["DEFINITIONS", "Definition", "definition"]

DEFINITIONS: tuple[Definition, ...] = (
    *RKNN,
    *PULSAR2,
    *HORIZON,
    *AMCT,
    *MSACCUCMP,
    *MSPROBE,
    *TPU_MLIR,
    *OTHERS,
    *ERRORFLOW,
)

_BY_KEY = {row.key: row for row in DEFINITIONS}


def definition(key: str) -> Definition:
    """The row of that key; the importers name only keys that there are."""
    return _BY_KEY[key]
