"""The list of values that Sparkplug, OPC UA, Modbus and Home Assistant publish."""
