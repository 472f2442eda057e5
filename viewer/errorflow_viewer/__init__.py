"""Errorflow's window. It shows what `errorflow` finds out and passes wishes back down."""
