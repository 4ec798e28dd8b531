"""The float engine (numpy): gaps of rows with a proved error, at the speed of matrix products."""
