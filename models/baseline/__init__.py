"""The healthy period of a machine, and the model that is fitted to it."""
