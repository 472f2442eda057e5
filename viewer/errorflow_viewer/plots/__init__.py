"""Plots: how their parts are painted, and the large window in which one can zoom into them.

pyqtgraph is imported by the modules whose names end in `sheet`, and by what these are made of; `large` loads them when
a window is opened for the first time.
"""
