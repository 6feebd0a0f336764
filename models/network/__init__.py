"""The autoencoder: architecture, shipped artefacts, LiteRT runtime, training, int8."""
