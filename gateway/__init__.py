"""The edge service: sources, windows, features, decisions, events, local store and MQTT."""
