"""The dashboard's database: one writer thread, readers apart, SQLite in WAL mode."""
