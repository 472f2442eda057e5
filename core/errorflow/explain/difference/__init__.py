"""What became of a model on its way: which nodes of one graph stand for which of another, and what differs in them."""
