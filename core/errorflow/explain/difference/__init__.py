"""Difference between two graphs: which nodes of one stand for which of the other, and what differs in them."""
