"""The dashboard server and the `auscult` command."""

from importlib.metadata import version

__version__ = version("auscult")
