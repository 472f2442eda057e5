"""The comparisons as data: what each needs, how to obtain that, and what is checked before the start."""
