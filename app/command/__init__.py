"""The `auscult` command: the one place that may start a gateway as well as a dashboard."""
