"""The contract of gateway and dashboard: each record, message, command, topic and word, once."""
