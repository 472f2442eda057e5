"""Printing of msaccucmp compare, to the last digit."""

from errorflow.vendors.ascend.comparers.printing import MSACCUCMP

ROWS = (MSACCUCMP,)
