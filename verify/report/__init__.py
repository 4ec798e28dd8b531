"""What readers and other programs get to see of a run. Reports never import an engine."""
