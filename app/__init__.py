"""The dashboard server and the `auscult` command."""
