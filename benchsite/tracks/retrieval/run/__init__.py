"""From dataset and adapter to measurement, and the command-line options."""
