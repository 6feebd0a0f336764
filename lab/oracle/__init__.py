"""Slow, plain twins of fast routines: the references of tests and benchmarks."""
