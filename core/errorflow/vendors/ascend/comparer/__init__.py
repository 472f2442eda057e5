"""What msaccucmp compare prints, to the last digit."""
