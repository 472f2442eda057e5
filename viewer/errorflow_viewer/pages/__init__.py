"""Whole pages: start, guide, verdict, ticket, settings, keys, two pipelines."""
