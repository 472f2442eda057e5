"""Report: pictures and tables as files. The same functions serve the window and the command line."""
