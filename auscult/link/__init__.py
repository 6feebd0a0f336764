"""The link of a process to its MQTT broker: settings, session, credentials, signatures."""
