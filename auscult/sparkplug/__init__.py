"""The payloads and topics of Sparkplug B, as source and output use them."""
