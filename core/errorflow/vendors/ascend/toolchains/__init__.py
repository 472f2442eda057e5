"""Settings that AMCT takes."""
