"""What gateway and dashboard agree on: topics, payloads and the link to the broker.

The two processes share nothing but MQTT; this package is that share, and the only part of
`gateway` that the dashboard imports.
"""
