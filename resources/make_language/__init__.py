"""Makes the Qt Linguist files of the other languages: what the code says, and what it is in them. Not installed."""
