# English words of the source `mqtt_json`. auscult/contract/words/en.ftl explains the functions.

# its form in the page: docs/sensors/writing-a-source.md

form-mqtt_json-kind-channel = a value in JSON over MQTT
form-mqtt_json-kind-title = Values in JSON over MQTT
form-mqtt_json-topic = MQTT topic
form-mqtt_json-path = Path to the value (JMESPath; empty: the whole message)
