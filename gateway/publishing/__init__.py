"""What the gateway publishes over MQTT: states, events, trends, spectra."""
