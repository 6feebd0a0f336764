"""Tests of `auscult bench box`."""
