"""The autoencoder: architecture, shipped artefacts, runtime, training."""
