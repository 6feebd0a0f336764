"""Home Assistant's MQTT discovery: `settings`, `discovery` (the payloads), `announcer` (when)."""
