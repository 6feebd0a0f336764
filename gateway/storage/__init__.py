"""What survives a power cut: one SQLite file, and the outbox in it."""
