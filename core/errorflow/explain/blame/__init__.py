"""Birthplace of an error: what each node adds, what it only passes on, and what that says of the model."""
