"""One module for each command of `pe-verify`, with its click command in the name `command`."""
