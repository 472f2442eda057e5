"""What the toolchains of vendors write and read: result tables, and lists of what stays in float."""
