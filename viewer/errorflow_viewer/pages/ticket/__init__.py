"""The page on which a case becomes a ticket: what goes in, what is taken out, and the form."""
