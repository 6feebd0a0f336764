"""The error of the network's files and calls, free of any runtime."""


class ModelError(Exception):
    """A model file or a call that the guard or the runtime rejects."""
