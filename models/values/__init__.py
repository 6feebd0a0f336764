"""Machines of overall values: what their values alone say."""
