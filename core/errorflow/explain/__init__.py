"""Meaning of a comparison: who is to blame, what tensors hold, and how two models differ."""
