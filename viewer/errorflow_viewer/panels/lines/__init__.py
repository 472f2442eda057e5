"""A list of lines that can be searched, narrowed and sorted: what the panels on matches and differences share."""
