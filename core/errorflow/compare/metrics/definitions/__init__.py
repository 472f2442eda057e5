"""Definitions of the numbers in other tools' tables: the same name often stands for another formula.

An imported number is shown under its own definition; where it is one of ours in disguise, `ours` turns it into that.
To add one: a row in the vendor's `definitions.py`, and run `python docs/tables.py`.
"""

from errorflow.base.vendor import Rows
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.metrics.definitions.errorflow import ERRORFLOW
from errorflow.compare.metrics.definitions.others import OTHERS

DEFINITIONS = Rows(Definition, "definitions", (*OTHERS, *ERRORFLOW))
