"""The fault campaign: seeded faults against the product, counted by an oracle. `make faults`."""
