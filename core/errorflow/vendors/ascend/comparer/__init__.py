"""Printing of msaccucmp compare, to the last digit."""
