"""Federated averaging: averages the deltas of machines with the same base, over a fleet.

It runs beside the gateways in its own environment (extra ``fleet``, `.venv-fleet`), on Flower,
within the plant's network. A gateway only writes its signed delta into one folder and reads the
signed average from another. The gate of each gateway decides whether to accept the average.
"""
