"""`auscult evaluate`: the shipped detector beside simple ones, on recordings with known truth."""

from auscult.gateway.evaluate.run import run

__all__ = ["run"]
