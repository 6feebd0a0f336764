# German words of the source `opcua`.

value_quality = seine Qualität ist { $quality }
opcua_login = der Server weist die Anmeldung ab; Benutzer und Passwort dieser Quelle in der Datei des Gateways einrichten
opcua_certificate = ein Zertifikat wird abgelehnt ({ $detail }); dem Zertifikat des Gateways auf dem Server vertrauen und certificate_file und key_file in der Datei des Gateways setzen
opcua_security = der Server bietet diese Absicherung nicht an; certificate_file und key_file in der Datei des Gateways setzen
node_unknown = der Server hat keinen Knoten { $node }; Namensraum (ns=) und Bezeichner prüfen
node_malformed = { $node } ist keine Node-Id; so schreiben: ns=2;s=Pump1.Temperature

# its form in the page

form-opcua-kind-channel = eine Variable eines OPC-UA-Servers
form-opcua-kind-title = Der OPC-UA-Server
form-opcua-kind-hint = Ein Server, der Passwort oder Zertifikat verlangt, wird in der Konfigurationsdatei des Gateways eingerichtet.
form-opcua-url = Adresse des Servers (opc.tcp://…)
form-opcua-node = Node-Id
form-opcua-node-help = z. B. ns=2;s=Pump1.Bearing.Temperature
