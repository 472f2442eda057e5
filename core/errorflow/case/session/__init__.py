"""The document: what the user opened and decided. Results are no part of it; they are derived."""
