"""The command line: one file per command, and a table of them."""
