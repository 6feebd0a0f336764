# German words of the source `http`.

push_port = Port { $port } kann nicht geöffnet werden: { $detail }; einen anderen Port wählen
push_token = eine Anfrage ohne das richtige Token kam an; das Token des Senders berichtigen
trial_port_used = Maschine { $machine } empfängt schon an Port { $port }; einen anderen Port wählen
trial_nothing_pushed = an Port { $port } kam innerhalb von { QUANTITY($after_s, "s") } nichts an; den Sender senden lassen, dann wieder versuchen

# its form in the page

form-http-kind-channel = ein Wert, der über HTTP eintrifft
form-http-kind-title = Werte über HTTP
form-http-kind-hint = Der Sender schickt {"{"}"PUNKT": 61.5{"}"} mit POST an http://GATEWAY:{ $port }/values mit der Kopfzeile Authorization: Bearer TOKEN.
form-http-kind-trial = Lassen Sie den Sender jetzt senden.
form-http-host = Adresse des Gateways (0.0.0.0: alle)
form-http-port = Port
form-http-token_sha256 = SHA-256 des Tokens
