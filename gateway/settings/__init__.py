"""The gateway's configuration: one file a section, composed in `gateway.py`."""
