"""Ranking of a model's parts: what quantizing each alone does to the outputs, and what each gains in float."""
