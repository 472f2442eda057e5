"""Settings that hb_mapper and hmct take."""
