"""Copying and saving from the context menu of every table, plot and page: text, CSV, pictures."""
