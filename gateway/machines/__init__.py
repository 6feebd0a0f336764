"""One machine as it is watched: its baseline, its verdict, its open event, its limits."""
