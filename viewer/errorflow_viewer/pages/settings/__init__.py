"""Where the app is set up: each setting takes effect at once, is marked once it is changed, and can go back."""
