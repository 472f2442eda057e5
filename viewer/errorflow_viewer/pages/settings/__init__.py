"""Settings of the app: each takes effect at once, is marked once it is changed, and can go back."""
