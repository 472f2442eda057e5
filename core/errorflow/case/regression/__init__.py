"""Two sessions of one model, such as yesterday's build and today's: what became worse, and what better."""
