# English words of the source `opcua`. auscult/contract/words/en.ftl explains the functions.

value_quality = its quality is { $quality }
opcua_login = the server rejects the login; set up user and password of this source in the gateway's own file
opcua_certificate = a certificate is rejected ({ $detail }); trust the gateway's certificate on the server, and set certificate_file and key_file in the gateway's own file
opcua_security = the server does not offer this security; set certificate_file and key_file in the gateway's own file
node_unknown = the server has no node { $node }; check namespace (ns=) and identifier
node_malformed = { $node } is no node id; write it as ns=2;s=Pump1.Temperature

# its form in the page: docs/sensors/writing-a-source.md

form-opcua-kind-channel = a variable of an OPC UA server
form-opcua-kind-title = The OPC UA server
form-opcua-kind-hint = A server that asks for a password or a certificate is set up in the configuration file of the gateway.
form-opcua-url = Address of the server (opc.tcp://…)
form-opcua-node = Node id
form-opcua-node-help = E.g. ns=2;s=Pump1.Bearing.Temperature
