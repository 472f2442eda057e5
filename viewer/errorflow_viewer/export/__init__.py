"""The graph as files that need Qt, painted as the canvas paints: PNG, in tiles where it is large, and PDF."""
