"""Features to score to decision: baseline, detection, learning, checkpoints."""
