"""Enrolment of gateways: the plant's certificate authority, and short codes."""
