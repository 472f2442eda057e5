"""Files that a guide hands over: settings and small scripts, with the user's own names in them."""
