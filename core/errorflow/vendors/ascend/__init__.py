"""Ascend: ATC, AMCT, msaccucmp, msprobe."""
