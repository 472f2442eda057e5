"""Access for people who do not use a mouse, or do not see the screen: ways for the keyboard, and faces for readers."""
