"""Keys of a receipt, and their checks."""
