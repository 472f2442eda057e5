"""How good a model is under a plan: by outputs, by labels, or by whatever a file of the user's measures."""
