"""Samples for many runs of a model: arrays, raw values or pictures of the user, or made-up values."""
