# English words of the source `http`. auscult/contract/words/en.ftl explains the functions.

push_port = port { $port } can't be opened: { $detail }; choose another port
push_token = a request without the right token arrived; correct the token of the sender
trial_port_used = machine { $machine } receives at port { $port } already; choose another port
trial_nothing_pushed = nothing arrived at port { $port } within { QUANTITY($after_s, "s") }; let the sender send, then try again

# its form in the page: docs/sensors/writing-a-source.md

form-http-kind-channel = a value that arrives by HTTP
form-http-kind-title = Values by HTTP
form-http-kind-hint = The sender posts {"{"}"POINT": 61.5{"}"} to http://GATEWAY:{ $port }/values with the header Authorization: Bearer TOKEN.
form-http-kind-trial = Let the sender send now.
form-http-host = Address of the gateway (0.0.0.0: all)
form-http-port = Port
form-http-token_sha256 = SHA-256 of the token
