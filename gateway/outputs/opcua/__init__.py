"""The gateway as an OPC UA server: machines as objects, their tags as variables, alarms.

`settings` (configuration), `access` (who may connect), `address_space` (what clients see), `alarms`
(Alarms and Conditions), `server` (the thread that runs it all). Needs the extra ``opcua``.
"""
