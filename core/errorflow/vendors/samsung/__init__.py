"""Samsung: visq."""
