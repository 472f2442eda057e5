"""Settings of AMCT as plain data."""
