"""The manual: the pages of docs as they are shipped, in a window of their own."""
