"""The process on its host: log, systemd, watch of the clock, scheduled backups."""
