"""Data that ships with Errorflow and no code: the sample, pictures and texts."""
