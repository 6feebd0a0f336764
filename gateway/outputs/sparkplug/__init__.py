"""Sparkplug B 3.0 (ISO/IEC 20237): the gateway as an edge node, each machine as a device.

It gives SCADA the same facts as the JSON interface. `node` is the edge node; `mapping` assigns
facts to metrics; docs/sparkplug.md has the rest.
"""
