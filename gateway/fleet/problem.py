"""What can be wrong with a fleet's set-up, in one line for a person."""


class FleetError(Exception):
    """A key, folder, address or package is missing or wrong; the message names the remedy."""
