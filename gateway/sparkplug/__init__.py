"""Sparkplug B 3.0 (ISO/IEC 20237): the gateway as an edge node, each machine as a device.

It stands beside the plain JSON interface and tells SCADA the same facts: see `node` for the
edge node at work, `mapping` for what becomes which metric, and docs/sparkplug.md.
"""
