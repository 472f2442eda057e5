"""Start page while nothing is open: how to begin, what was opened last, samples, and at first a greeting."""
