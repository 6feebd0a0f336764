"""What is told over MQTT and in which words: states, events, trends, spectra."""
