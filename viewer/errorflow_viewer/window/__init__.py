"""The window: its docks, bars, pages, views and sessions."""
