"""Which condition outranks which."""

SEVERITY = {"normal": 0, "learning": 1, "unknown": 2, "warning": 3, "alarm": 4}
"""Order in which conditions outrank one another, as `auscult.models.records.SEVERITY` has it."""
