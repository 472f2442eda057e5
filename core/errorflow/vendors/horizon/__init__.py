"""Horizon and D-Robotics: hb_mapper, hmct."""
