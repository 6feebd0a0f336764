"""Backups of a data folder: one verified file, encrypted where a passphrase is given."""
