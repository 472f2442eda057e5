"""The map of the keyboard: every command with its keys, which can be searched, changed and printed."""
