"""The ticket bundle: a case as one `.zip`, which opens as the same session where none of its files are."""
