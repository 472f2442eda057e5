"""Tools that every room may use: errors, files, progress, languages, processes."""
