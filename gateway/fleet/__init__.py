"""Federated averaging of what labels taught: deltas of machines of one base, over a fleet.

Runs beside the gateways in an environment of its own (extra ``fleet``, `.venv-fleet`), on Flower,
within the plant's network. A gateway only writes its signed delta into one folder and reads the
signed average from another; whether the average helps, its own gate decides.
"""
