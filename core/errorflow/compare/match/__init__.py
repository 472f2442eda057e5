"""Matching: pairs of tensors, each with the rule that made it, and what is left over."""
