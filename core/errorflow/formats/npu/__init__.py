"""Dump files of Ascend NPUs: what went into one operator and what came out of it."""
