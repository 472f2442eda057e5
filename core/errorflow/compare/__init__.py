"""Comparison of two runs, tensor by tensor: what every metric says, or a note why none can say anything.

Nothing is loaded before it is needed: a program that only shows what was measured needs no reader of dumps.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errorflow.compare.model import Comparison, Options, Row
    from errorflow.compare.pairs import compare, compare_match

__all__ = ["Comparison", "Options", "Row", "compare", "compare_match"]

if not TYPE_CHECKING:
    _HOMES = {"Comparison": "model", "Row": "model", "Options": "model", "compare": "pairs", "compare_match": "pairs"}

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
