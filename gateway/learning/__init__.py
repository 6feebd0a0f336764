"""Learning from labels beside the window loop: the label queue, checkpoints, deltas, exports."""
