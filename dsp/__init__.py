"""Samples to features: pure functions of float32 arrays, without I/O, clock or configuration."""
