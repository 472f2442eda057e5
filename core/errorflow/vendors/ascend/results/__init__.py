"""Tables of Ascend's tools: msaccucmp, AMCT, msProbe."""
