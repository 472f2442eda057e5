"""The vendors' methods, one file each. Their rows are in `errorflow.guides.table`."""
