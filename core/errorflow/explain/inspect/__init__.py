"""Inspection of one tensor of two runs: values, errors and channels of both sides, and plots of them as plain values.

`tensors.read_pair` reads, `overview.overview` looks at all values in pieces, `figures` makes pictures of what was seen.
"""
