"""Untrusted solvers: they propose, the kernel decides."""
