"""Setting machines up: the table that people import, and the bearings that they choose from."""
