"""Espressif: PPQ."""
