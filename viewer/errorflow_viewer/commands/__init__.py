"""What a user can do: the tables of commands, and what they may ask of the window."""
