"""A report as one HTML file: a graph to zoom into, tables to sort, plots; no file and no script from elsewhere."""
