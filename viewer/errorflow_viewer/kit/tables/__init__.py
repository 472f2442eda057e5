"""Every list of the window: one model over columns that are data, and one way to paint and to furnish it."""
