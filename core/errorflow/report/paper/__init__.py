"""The report for paper: blocks in reading order, which the viewer sets on pages."""
