"""Learning from technicians' labels: `Label → Lesson → HeadUpdate → gate → Checkpoint`.

The autoencoder and its distance stay frozen. What labels change is a small `Head` per point,
trained against a replay of old windows, let in by a gate, and kept as checkpoints.
"""
