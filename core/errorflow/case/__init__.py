"""What was found about what a session asks, as one value: the same whatever door one comes through."""
