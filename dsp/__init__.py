"""Samples to features: pure functions of float32 arrays. No I/O, no clock, no configuration."""
