"""The vendors' methods as data: steps, what each needs and how to obtain it, thresholds, and where each leads.

The table of them is in `table`: sessions keep the way through one, and the start of the app need not load all.
"""
