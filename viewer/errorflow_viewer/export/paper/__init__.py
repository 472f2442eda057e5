"""A report set on pages: rows of a height each, pages that they are put on, and the PDF of these."""
