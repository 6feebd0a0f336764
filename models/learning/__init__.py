"""Learning from technicians' labels: `Label → HeadTrainer → gate → Checkpoint → heads`.

The autoencoder and its distance stay frozen. Labels change a small `Head` per point: trained
against a replay of old windows, accepted or rejected by a gate, and stored as checkpoints.
"""
