"""Commands of the user, in tables, and what they may ask of the window."""
