"""A trained gateway's data, as the gateway's own tests have it."""

from tests.gateway.conftest import recordings, trained, trained_folder

__all__ = ["recordings", "trained", "trained_folder"]
