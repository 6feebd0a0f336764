"""From scores to conditions: evidence, limits, forecasts, diagnosis and their reasons."""
