"""The files that are made from the code and not kept in git: `python -m lab.documents`."""
