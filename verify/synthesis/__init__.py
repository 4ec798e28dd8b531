"""Synthesis: the smallest encoding in a stated grammar that carries a task, with its proof."""
