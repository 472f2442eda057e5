"""Axera: Pulsar2."""
