"""Runs a model again and again under changing plans, and each time only what a change reaches."""
