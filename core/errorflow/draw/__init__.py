"""Shapes as plain values, how wide their texts are, and how they are written as SVG."""
