# German words of the source `http_json`.

# its form in the page

form-http_json-kind-channel = ein Wert, den ein Gerät über HTTP liefert (JSON)
form-http_json-kind-title = Das Gerät mit JSON über HTTP
form-http_json-url = Adresse des JSON (http://…)
form-http_json-timeout_s = Längste Wartezeit
form-http_json-path = Pfad zum Wert (JMESPath; leer: die ganze Antwort)
