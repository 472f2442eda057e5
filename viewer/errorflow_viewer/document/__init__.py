"""Document: what is open and what was found about it, and all that is derived from that in the background."""
