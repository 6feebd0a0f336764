"""`auscult evaluate`: the shipped detector beside simple ones, on recordings with known truth."""
