"""The start of the app, and what outlives it."""
