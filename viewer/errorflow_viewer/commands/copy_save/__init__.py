"""What every table, plot and page gives away from its context menu: copies, CSV, pictures, text."""
