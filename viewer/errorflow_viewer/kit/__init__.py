"""Kit that every part of the window is made with: looks, icons, texts, jobs, settings."""
