"""Findings on a graph's nodes after a comparison, as columns: what pictures, lists and curves are made of."""
