"""Evaluation of a model under a plan: by outputs, by labels, or by a file of the user's."""
