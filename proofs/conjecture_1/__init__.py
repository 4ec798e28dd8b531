"""Readings of Conjecture 1, whose exact wording is not public: ours, each stated precisely."""
