"""The payloads and topics of Sparkplug B, as source and output use them."""

SEQ_MODULUS = 256
"""The sequence numbers of payloads are 0..255."""
