"""Trials on a model: simulate, rank, search, evaluate, and set two pipelines side by side."""
