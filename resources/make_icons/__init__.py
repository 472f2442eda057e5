"""Draws the icons of the app and of its files from their SVG sources; not installed."""
