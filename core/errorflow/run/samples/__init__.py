"""What many runs of a model are fed with: arrays, raw values or pictures of the user, or made-up values."""
