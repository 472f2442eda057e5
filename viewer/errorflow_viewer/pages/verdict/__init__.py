"""The verdict as a page in place of the graph: all that a ticket says, to be read and handed over."""
