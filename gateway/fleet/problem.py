"""The error of a fleet's set-up."""


class FleetError(Exception):
    """A key, folder, address or package is missing or wrong; the message names the remedy."""
