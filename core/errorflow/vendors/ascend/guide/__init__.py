"""Ascend's method, step by step, with its scripts and settings."""
