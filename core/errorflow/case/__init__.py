"""Case: all that was found about what a session asks, as one value, the same at every door."""
