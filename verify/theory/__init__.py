"""The objects of the theory, exact: encodings, tasks, heads. Standard library and kernel only."""
