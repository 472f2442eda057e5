"""The drawing of the graph: `view.Canvas` is the widget; the rest is what it is made of.

Knows graph, drawing and colours; no metrics, no plans.
"""
