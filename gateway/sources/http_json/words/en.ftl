# English words of the source `http_json`. auscult/contract/words/en.ftl explains the functions.

# its form in the page: docs/sensors/writing-a-source.md

form-http_json-kind-channel = a value that a device answers by HTTP (JSON)
form-http_json-kind-title = The device with JSON over HTTP
form-http_json-url = Address of the JSON (http://…)
form-http_json-timeout_s = Longest wait
form-http_json-path = Path to the value (JMESPath; empty: the whole answer)
